// Package manifest knows the encoding of Pebble's MANIFEST.
package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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

// hasPointKeys is the bit of a tagNewTable5's bounds that says that bounds of
// point keys precede those of range keys.
const hasPointKeys = 1

// Mark copies a MANIFEST so that the tables whose numbers are in marked need
// compaction and no others do. All else is copied as it is. Like Pebble it
// stops at an incomplete last record, which a crash may leave. It does not make
// the checks of Pebble, which is to read the copy.
func Mark(r io.Reader, w io.Writer, marked map[uint64]bool) error {
	reader, writer := record.NewReader(r, 0), record.NewWriter(w)
	for {
		edit, err := nextRecord(reader)
		if err == io.EOF {
			return writer.Close()
		}
		if err != nil {
			return err
		}
		m := editMarker{editReader: editReader{rest: edit}, marked: marked}
		m.copyFields()
		if m.err != nil {
			return fmt.Errorf("manifest: %w", m.err)
		}
		if _, err := writer.WriteRecord(m.out); err != nil {
			return err
		}
	}
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
	marked map[uint64]bool
	out    []byte
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
		case tagDeletedTable, tagCreatedBackingTable, tagDeletedBlobFile:
			m.uvarints(2)
		case tagNewBlobFile:
			m.uvarints(5)
		default:
			m.fail(fmt.Errorf("unknown tag %d in an edit", tag))
		}
		m.out = append(m.out, field[:len(field)-len(m.rest)]...)
	}
}

func (m *editMarker) copyTable(tag uint64) {
	begin := m.rest
	m.uvarint() // level
	number := m.uvarint()
	m.uvarint() // size
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
		attributes = m.attributes(number)
	}
	if m.err != nil {
		return
	}
	m.appendTable(tag, head, attributes, m.marked[number])
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
func (m *editMarker) attributes(table uint64) (kept []byte) {
	for m.err == nil {
		field := m.rest
		tag := m.uvarint()
		switch tag {
		case attributeEnd:
			return kept
		case attributeVirtual:
			m.uvarint()
		case attributeBlobReferences:
			m.uvarint() // depth
			for n := m.uvarint(); n > 0 && m.err == nil; n-- {
				m.uvarints(2)
			}
		case attributeSyntheticPrefix, attributeSyntheticSuffix:
			m.bytes()
		default:
			if tag&attributeMustBeKnown != 0 {
				m.fail(fmt.Errorf("unknown attribute %d of table %d", tag, table))
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
