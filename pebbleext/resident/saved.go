package resident

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// A file of saved filters is their blocks one after another, an index and a
// footer. All numbers are little-endian.
//
//	index  = entry…     entry = identity, 16 bytes; XXH3-64 of the policy's name, 8;
//	                            offset, 8; size, 8; tag of a table, 16
//	footer = offset of the index, 8; its length, 8; its XXH3-64, 8; magic, 8
//
// Identities verify the blocks, whatever store or time they are of. A tag,
// which is 0 for a table on local disk, says which table named the filter, so
// that this need not be asked of object storage. The offset of a filter that was
// not in memory is that of the index. A table without a filter that can be asked
// has an entry of size 0.

const (
	savedMagic      = "GvSaved2"
	savedEntrySize  = identitySize + 24 + tagSize
	savedFooterSize = 24 + len(savedMagic)
)

// savedEntry is an entry of the index.
type savedEntry struct {
	id           identity
	policy       uint64
	offset, size uint64
	tag          tableTag
}

func (e savedEntry) append(index []byte) []byte {
	index = append(index, e.id[:]...)
	index = binary.LittleEndian.AppendUint64(index, e.policy)
	index = binary.LittleEndian.AppendUint64(index, e.offset)
	index = binary.LittleEndian.AppendUint64(index, e.size)
	return append(index, e.tag[:]...)
}

func parseSavedEntry(b []byte) savedEntry {
	numbers := b[identitySize:]
	return savedEntry{
		id:     identity(b),
		policy: binary.LittleEndian.Uint64(numbers),
		offset: binary.LittleEndian.Uint64(numbers[8:]),
		size:   binary.LittleEndian.Uint64(numbers[16:]),
		tag:    tableTag(numbers[24:]),
	}
}

// writeSaved writes a file of saved filters. A block is what it returns for an
// entry, nil if it is not in memory. It is valid until the next one is asked for.
func writeSaved(w io.Writer, entries []savedEntry, block func(i int) []byte) error {
	end := uint64(0)
	for i := range entries {
		b := block(i)
		if _, err := w.Write(b); err != nil {
			return err
		}
		entries[i].offset = end
		if b == nil {
			entries[i].offset = notSaved
		}
		end += uint64(len(b))
	}
	var index []byte
	for _, e := range entries {
		e.offset = min(e.offset, end)
		index = e.append(index)
	}
	tail := binary.LittleEndian.AppendUint64(index, end)
	tail = binary.LittleEndian.AppendUint64(tail, uint64(len(index)))
	tail = binary.LittleEndian.AppendUint64(tail, xxh3.Hash(index))
	_, err := w.Write(append(tail, savedMagic...))
	return err
}

// notSaved is behind all blocks.
const notSaved = math.MaxUint64

// errSaved is for bytes that are no whole file of saved filters.
var errSaved = errors.New("not a whole file of saved filters")

// readSavedIndex reads the index of a file of that size.
func readSavedIndex(r io.ReaderAt, size uint64) (entries []savedEntry, err error) {
	var footer [savedFooterSize]byte
	if size < uint64(len(footer)) {
		return nil, errSaved
	}
	if _, err := r.ReadAt(footer[:], int64(size)-int64(len(footer))); err != nil {
		return nil, err
	}
	offset := binary.LittleEndian.Uint64(footer[:])
	length := binary.LittleEndian.Uint64(footer[8:])
	body := size - uint64(len(footer))
	if !bytes.Equal(footer[24:], []byte(savedMagic)) || length > body || offset != body-length ||
		length%savedEntrySize != 0 {
		return nil, errSaved
	}
	index := make([]byte, length)
	if _, err := r.ReadAt(index, int64(offset)); err != nil && length > 0 {
		return nil, err
	}
	if xxh3.Hash(index) != binary.LittleEndian.Uint64(footer[16:]) {
		return nil, errSaved
	}
	for ; len(index) > 0; index = index[savedEntrySize:] {
		e := parseSavedEntry(index)
		switch {
		case e.offset > offset || e.size > maxBlockSize:
			return nil, errSaved
		case e.offset == offset:
			e.offset = notSaved
		case e.size > offset-e.offset:
			return nil, errSaved
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// maxBlockSize is that of a block in a table.
const maxBlockSize = math.MaxUint32

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
	info, err := file.Stat()
	if err == nil {
		var entries []savedEntry
		if entries, err = readSavedIndex(file, uint64(info.Size())); err == nil {
			return newSavedFilters(file, entries), nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
}

func newSavedFilters(file vfs.File, entries []savedEntry) *savedFilters {
	s := &savedFilters{file, make(map[identity]savedEntry), make(map[tableTag]savedEntry)}
	for _, e := range entries {
		if e.offset != notSaved {
			s.blocks[e.id] = e
		}
		if e.tag != (tableTag{}) {
			s.tables[e.tag] = e
		}
	}
	return s
}

// head returns what a table said of its filter, if that was saved and its policy
// is one of these.
func (s *savedFilters) head(tag tableTag, policies map[string]pebble.FilterPolicy) (h head, ok bool) {
	if s == nil || tag == (tableTag{}) {
		return h, false
	}
	e, ok := s.tables[tag]
	if !ok || e.size == 0 {
		return h, ok
	}
	for name, policy := range policies {
		if xxh3.HashString(name) == e.policy {
			return head{id: e.id, policy: unwrap(policy), size: int(e.size)}, true
		}
	}
	return h, false
}

// read returns the saved block of a filter, nil if there is none.
func (s *savedFilters) read(h head) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	e, ok := s.blocks[h.id]
	if !ok || e.size != uint64(h.size) {
		return nil, nil
	}
	block := make([]byte, e.size)
	if _, err := s.file.ReadAt(block, int64(e.offset)); err != nil {
		return nil, fmt.Errorf("saved filter: %w", err)
	}
	if err := h.verify(block); err != nil {
		return nil, fmt.Errorf("saved filter: %w", err)
	}
	return block, nil
}

// openSaved opens the file of the last time, if there is one.
func (f *Filters) openSaved() (err error) {
	if f.settings.File != "" {
		f.keeper.saved, err = openSaved(f.store.opts.FS, f.settings.File)
	}
	return err
}

func (k *keeper) closeSaved() error {
	if k.saved == nil {
		return nil
	}
	file := k.saved.file
	k.saved = nil
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
// filters in memory and those of tables in object storage. Nil is that of tables
// without a filter that can be asked.
func (f *Filters) savedEntries() (entries []savedEntry, filters []*entry) {
	add := func(e *entry, tag tableTag) {
		saved := savedEntry{tag: tag}
		if e != nil {
			saved.id, saved.policy, saved.size = e.id, xxh3.HashString(e.policy.Name()), uint64(e.size)
		}
		entries, filters = append(entries, saved), append(filters, e)
	}
	named := make(map[*entry]bool)
	for _, table := range f.keeper.files {
		if table.tag != (tableTag{}) && !named[table.entry] {
			add(table.entry, table.tag)
			named[table.entry] = table.entry != nil
		}
	}
	for _, e := range f.arena.blocks {
		if !named[e] {
			add(e, tableTag{})
		}
	}
	return entries, filters
}

// residentBlock returns the block of an entry in memory, nil if it is not.
func (f *Filters) residentBlock(e *entry) []byte {
	if e == nil || !e.isResident() {
		return nil
	}
	return e.bytes(e.block.Load())
}
