package resident

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// A file of saved filters is their blocks, as they were in memory, one after
// another, an index and a footer. All numbers are little-endian.
//
//	index  = entry…
//	entry  = identity, 16 bytes; XXH3-64 of the policy's name, 8; size, 8;
//	         offset of the saved block, 8; its size, 8; its check, 16;
//	         tag of a table, 16
//	footer = offset of the index, 8; its length, 8; its XXH3-64, 8; magic, 8
//
// The identity is that of the filter that a table names, and size that of its
// whole block. What is saved is cut from that, so the identity cannot verify it:
// the check does, a hash of the saved bytes that is keyed by the identity, so
// that no other filter's bytes pass. The index is verified by its own hash, and
// written by who verified each block as it came.
//
// A tag, which is 0 for a table on local disk, says which table named the filter,
// so that this need not be asked of object storage. The saved block of a filter
// that was not in memory has no bytes. A table without a filter that can be
// asked has an entry of size 0.

// savedEntry is an entry of the index.
type savedEntry struct {
	ID           identity
	Policy       uint64 // XXH3-64 of its name
	Size         uint64 // of the whole block
	Offset, Held uint64 // of what is saved of it
	Check        [16]byte
	Tag          tableTag
}

// checkOf returns the check of what is saved of a filter.
func checkOf(id identity, block []byte) [16]byte {
	return xxh3.Hash128Seed(block, binary.LittleEndian.Uint64(id[:])).Bytes()
}

// savedFooter tells of the index.
type savedFooter struct {
	Offset, Length, Hash uint64
	Magic                [8]byte
}

var (
	savedMagic      = [8]byte([]byte("GvSaved3"))
	savedEntrySize  = binary.Size(savedEntry{})
	savedFooterSize = binary.Size(savedFooter{})
)

// writeSaved writes a file of saved filters. A block is what it returns for an
// entry, nil if it is not in memory. The writer gets copies: a vfs.File may
// overwrite what it is given, and lookups may still read the block.
func writeSaved(w io.Writer, entries []savedEntry, block func(i int) []byte) error {
	end := uint64(0)
	var copied []byte
	for i := range entries {
		e := &entries[i]
		copied = append(copied[:0], block(i)...)
		e.Offset, e.Held = end, uint64(len(copied))
		e.Check = checkOf(e.ID, copied)
		if _, err := w.Write(copied); err != nil {
			return err
		}
		end += e.Held
	}
	hash := xxh3.New()
	if err := binary.Write(io.MultiWriter(hash, w), binary.LittleEndian, entries); err != nil {
		return err
	}
	length := uint64(len(entries) * savedEntrySize)
	return binary.Write(w, binary.LittleEndian, savedFooter{end, length, hash.Sum64(), savedMagic})
}

// errSaved is for bytes that are no whole file of saved filters.
var errSaved = errors.New("not a whole file of saved filters")

// savedFilters is an open file of saved filters. Nil has none.
type savedFilters struct {
	file   vfs.File
	blocks map[identity]savedEntry // of which there are blocks
	tables map[tableTag]savedEntry // in object storage
}

func openSaved(fs vfs.FS, path string) (*savedFilters, error) {
	file, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	s := &savedFilters{file, make(map[identity]savedEntry), make(map[tableTag]savedEntry)}
	if err := s.readIndex(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return s, nil
}

func (s *savedFilters) readIndex() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	body := info.Size() - int64(savedFooterSize)
	if body < 0 {
		return errSaved
	}
	var footer savedFooter
	end := io.NewSectionReader(s.file, body, int64(savedFooterSize))
	if err := binary.Read(end, binary.LittleEndian, &footer); err != nil {
		return err
	}
	if footer.Magic != savedMagic || footer.Length > uint64(body) || footer.Offset != uint64(body)-footer.Length ||
		footer.Length%uint64(savedEntrySize) != 0 {
		return errSaved
	}
	index := make([]byte, footer.Length)
	if _, err := io.ReadFull(io.NewSectionReader(s.file, int64(footer.Offset), int64(footer.Length)), index); err != nil {
		return err
	}
	if xxh3.Hash(index) != footer.Hash {
		return errSaved
	}
	entries := make([]savedEntry, len(index)/savedEntrySize)
	if _, err := binary.Decode(index, binary.LittleEndian, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if !s.add(e, footer.Offset) {
			return errSaved
		}
	}
	return nil
}

// add adds an entry, if it can be one of a file whose blocks end there.
func (s *savedFilters) add(e savedEntry, end uint64) bool {
	const maxSize = math.MaxUint32 // of a block in a table
	if e.Size > maxSize || e.Held > e.Size || e.Offset > end || e.Held > end-e.Offset {
		return false
	}
	if e.Held > 0 {
		s.blocks[e.ID] = e
	}
	if e.Tag != (tableTag{}) {
		s.tables[e.Tag] = e
	}
	return true
}

// head returns what a table said of its filter, if that was saved and its
// policy is one of these.
func (s *savedFilters) head(tag tableTag, policies map[string]pebble.FilterPolicy) (h head, ok bool) {
	if s == nil || tag == (tableTag{}) {
		return h, false
	}
	e, ok := s.tables[tag]
	if !ok || e.Size == 0 {
		return h, ok
	}
	for name, policy := range policies {
		if xxh3.HashString(name) == e.Policy {
			return head{id: e.ID, policy: unwrap(policy), size: int(e.Size)}, true
		}
	}
	return h, false
}

// read returns what is saved of a filter, nil if there is nothing.
func (s *savedFilters) read(h head) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	e, ok := s.blocks[h.id]
	if !ok || e.Size != uint64(h.size) || e.Policy != xxh3.HashString(h.policy.Name()) {
		return nil, nil
	}
	block := make([]byte, e.Held)
	if _, err := s.file.ReadAt(block, int64(e.Offset)); err != nil {
		return nil, fmt.Errorf("saved filter: %w", err)
	}
	if checkOf(h.id, block) != e.Check {
		return nil, fmt.Errorf("saved filter: %w", errOther)
	}
	return block, nil
}

// openSaved opens the file of the last time, if there is one.
func (f *Filters) openSaved() (err error) {
	if f.settings.File != "" {
		f.background.saved, err = openSaved(f.store.opts.FS, f.settings.File)
	}
	return err
}

func (b *background) closeSaved() error {
	if b.saved == nil {
		return nil
	}
	file := b.saved.file
	b.saved = nil
	return file.Close()
}

// save writes the filters in memory to the file of the settings, in place of
// the one that is there.
func (f *Filters) save() (err error) {
	fs, path := f.store.opts.FS, f.settings.File
	temporary := path + ".tmp"
	file, err := fs.Create(temporary, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	entries, filters := f.savedEntries()
	err = writeSaved(file, entries, func(i int) []byte { return f.residentBlock(filters[i]) })
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, fs.Remove(temporary))
	}
	return fs.Rename(temporary, path)
}

// savedEntries returns the entries to save, and whose they are: those of the
// filters in memory and those of tables in object storage. Nil is that of
// tables without a filter that can be asked.
func (f *Filters) savedEntries() (entries []savedEntry, filters []*filter) {
	add := func(e *filter, tag tableTag) {
		saved := savedEntry{Tag: tag}
		if e != nil {
			saved.ID, saved.Policy, saved.Size = e.id, xxh3.HashString(e.policy.Name()), uint64(e.size)
		}
		entries, filters = append(entries, saved), append(filters, e)
	}
	named := make(map[*filter]bool)
	for _, table := range f.background.files {
		if table.tag != (tableTag{}) && !named[table.filter] {
			add(table.filter, table.tag)
			named[table.filter] = table.filter != nil
		}
	}
	for _, e := range f.mu.arena.blocks {
		if !named[e] {
			add(e, tableTag{})
		}
	}
	return entries, filters
}

// residentBlock returns the block of an entry in memory, nil if it is not.
func (f *Filters) residentBlock(e *filter) []byte {
	if e == nil || !e.isResident() {
		return nil
	}
	return e.bytes(e.block.Load())
}
