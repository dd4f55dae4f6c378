package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
)

// A MANIFEST is a log of version edits, which add tables to levels and delete
// them. Pebble's encoding of an edit is LevelDB's and RocksDB's, a list of
// fields of a tag each, in internal/manifest/version_edit.go of Pebble 2.1.7.
// A table has a mark there, "needs compaction", by which Pebble rewrites it in
// place.

// Tags of an edit's fields.
const (
	tagComparer       = 1
	tagLogNumber      = 2
	tagNextFileNumber = 3
	tagLastSequence   = 4
	tagDeletedTable   = 6
	tagPrevLogNumber  = 9

	tagNewTable2           = 100 // no range keys, no attributes
	tagNewTable4           = 103 // attributes follow
	tagNewTable5           = 104 // range keys; attributes follow
	tagCreatedBackingTable = 105
	tagRemovedBackingTable = 106
	tagNewBlobFile         = 107
	tagDeletedBlobFile     = 108
)

// Tags of a new table's attributes. Those below 64 are byte strings that a
// reader may ignore.
const (
	attributeEnd             = 1
	attributeNeedsCompaction = 2
	attributeVirtual         = 66
	attributeSyntheticPrefix = 67
	attributeSyntheticSuffix = 68
	attributeBlobReferences  = 69
	attributeMustBeKnown     = 64
)

const numLevels = len(pebble.Options{}.Levels)

// hasPointKeys is the bit of a tagNewTable5's bounds that says that bounds of
// point keys precede those of range keys.
const hasPointKeys = 1

// Table is a table of the LSM.
type Table struct {
	Level  int
	Number uint64
	Size   uint64
	// Backing is the number of the file that holds the table: its own, or
	// another's if the table is virtual, a part of that file.
	Backing uint64
}

// tableKey tells tables apart in an edit: one that moves is deleted from a
// level and added to another under the same number.
type tableKey struct {
	level  int
	number uint64
}

// Read returns the tables that a MANIFEST leads to.
func Read(r io.Reader) ([]Table, error) {
	return Mark(r, io.Discard, nil)
}

// Mark copies a MANIFEST so that the tables whose numbers are in marked
// need compaction and no others do, and returns the tables it leads to. All
// else is copied as it is. Like Pebble it stops at an incomplete last record,
// which a crash may leave.
func Mark(r io.Reader, w io.Writer, marked map[uint64]bool) ([]Table, error) {
	reader, writer := record.NewReader(r, 0), record.NewWriter(w)
	tables := map[tableKey]Table{}
	var order []tableKey
	for {
		edit, err := nextRecord(reader)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		m := editMarker{editReader: editReader{rest: edit}, marked: marked}
		m.copyFields()
		if m.err != nil {
			return nil, fmt.Errorf("manifest: %w", m.err)
		}
		for _, key := range m.deleted {
			delete(tables, key)
		}
		for _, t := range m.added {
			key := tableKey{t.Level, t.Number}
			tables[key] = t
			order = append(order, key)
		}
		if _, err := writer.WriteRecord(m.out); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	live := make([]Table, 0, len(tables))
	for _, key := range order {
		if t, ok := tables[key]; ok {
			live = append(live, t)
			delete(tables, key)
		}
	}
	return live, nil
}

// nextRecord returns io.EOF also at a record that a crash left incomplete.
func nextRecord(r *record.Reader) ([]byte, error) {
	next, err := r.Next()
	if err == nil {
		var data []byte
		if data, err = io.ReadAll(next); err == nil {
			return data, nil
		}
	}
	if err == io.EOF || record.IsInvalidRecord(err) {
		return nil, io.EOF
	}
	return nil, err
}

// editMarker copies an edit field by field.
type editMarker struct {
	editReader
	marked  map[uint64]bool
	out     []byte
	deleted []tableKey
	added   []Table
}

func (m *editMarker) copyFields() {
	for len(m.rest) > 0 && m.err == nil {
		field := m.rest
		switch tag := m.uvarint(); tag {
		case tagNewTable2, tagNewTable4, tagNewTable5:
			m.copyTable(tag)
			continue
		case tagComparer:
			m.bytes()
		case tagLogNumber, tagNextFileNumber, tagLastSequence, tagPrevLogNumber, tagRemovedBackingTable:
			m.uvarint()
		case tagCreatedBackingTable, tagDeletedBlobFile:
			m.uvarints(2)
		case tagNewBlobFile:
			m.uvarints(5)
		case tagDeletedTable:
			m.deleted = append(m.deleted, tableKey{m.level(), m.uvarint()})
		default:
			m.fail(fmt.Errorf("unknown tag %d in an edit", tag))
		}
		m.out = append(m.out, field[:len(field)-len(m.rest)]...)
	}
}

func (m *editMarker) copyTable(tag uint64) {
	begin := m.rest
	t := Table{Level: m.level(), Number: m.uvarint(), Size: m.uvarint()}
	t.Backing = t.Number
	bounds := 1 // pairs of smallest and largest key
	if tag == tagNewTable5 && m.byte()&hasPointKeys != 0 {
		bounds = 2
	}
	for range 2 * bounds {
		m.bytes()
	}
	m.uvarints(2) // sequence numbers
	head := begin[:len(begin)-len(m.rest)]
	var attributes []byte
	if tag != tagNewTable2 {
		attributes = m.attributes(&t)
	}
	if m.err != nil {
		return
	}
	m.added = append(m.added, t)
	m.appendTable(tag, head, attributes, m.marked[t.Number])
}

func (m *editMarker) appendTable(tag uint64, head, attributes []byte, mark bool) {
	if tag == tagNewTable2 && mark {
		tag = tagNewTable4
	}
	m.out = binary.AppendUvarint(m.out, tag)
	m.out = append(m.out, head...)
	if tag == tagNewTable2 {
		return
	}
	if mark {
		m.out = append(m.out, attributeNeedsCompaction, 1, 1) // a string of one byte, 1
	}
	m.out = append(m.out, attributes...)
	m.out = append(m.out, attributeEnd)
}

// attributes reads to the end of a table's attributes and returns them without
// the mark.
func (m *editMarker) attributes(t *Table) (kept []byte) {
	for m.err == nil {
		field := m.rest
		tag := m.uvarint()
		switch tag {
		case attributeEnd:
			return kept
		case attributeVirtual:
			t.Backing = m.uvarint()
		case attributeBlobReferences:
			m.uvarint() // depth
			for n := m.uvarint(); n > 0 && m.err == nil; n-- {
				m.uvarints(2)
			}
		case attributeSyntheticPrefix, attributeSyntheticSuffix:
			m.bytes()
		default:
			if tag&attributeMustBeKnown != 0 {
				m.fail(fmt.Errorf("unknown attribute %d of table %d", tag, t.Number))
			}
			m.bytes()
		}
		if tag != attributeNeedsCompaction {
			kept = append(kept, field[:len(field)-len(m.rest)]...)
		}
	}
	return nil
}

// editReader reads an edit's bytes. After an error, which stays in err, it
// returns zeros.
type editReader struct {
	rest []byte
	err  error
}

var errEditTruncated = errors.New("edit ends within a field")

func (r *editReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *editReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail(errEditTruncated)
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *editReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *editReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail(errEditTruncated)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *editReader) uvarints(n int) {
	for range n {
		r.uvarint()
	}
}

func (r *editReader) bytes() { r.take(r.uvarint()) }

func (r *editReader) level() int {
	level := r.uvarint()
	if level >= uint64(numLevels) {
		r.fail(fmt.Errorf("level %d in an edit; there are L0 to L%d", level, numLevels-1))
		return 0
	}
	return int(level)
}
