package resident

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// A file of saved filters is their blocks one after another, an index and a
// footer. All numbers are little-endian.
//
//	index  = entry…     entry = identity, 16 bytes; offset, 8; size, 8
//	footer = offset of the index, 8; its length, 8; its XXH3-64, 8; magic, 8
//
// Identities verify the blocks, whatever store or time they are of.

const (
	savedMagic      = "GvSaved1"
	savedEntrySize  = identitySize + 16
	savedFooterSize = 24 + len(savedMagic)
)

// savedPlace is where a saved block lies.
type savedPlace struct{ offset, size uint64 }

// writeSaved writes a file of saved filters. Each block is valid until the
// next one is asked for.
func writeSaved(w io.Writer, ids []identity, block func(i int) []byte) error {
	var index []byte
	offset := uint64(0)
	for i, id := range ids {
		b := block(i)
		if _, err := w.Write(b); err != nil {
			return err
		}
		index = append(index, id[:]...)
		index = binary.LittleEndian.AppendUint64(index, offset)
		index = binary.LittleEndian.AppendUint64(index, uint64(len(b)))
		offset += uint64(len(b))
	}
	tail := binary.LittleEndian.AppendUint64(index, offset)
	tail = binary.LittleEndian.AppendUint64(tail, uint64(len(index)))
	tail = binary.LittleEndian.AppendUint64(tail, xxh3.Hash(index))
	_, err := w.Write(append(tail, savedMagic...))
	return err
}

// errSaved is for bytes that are no whole file of saved filters.
var errSaved = errors.New("not a whole file of saved filters")

// readSavedIndex reads the index of a file of that size.
func readSavedIndex(r io.ReaderAt, size uint64) (map[identity]savedPlace, error) {
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
	places := make(map[identity]savedPlace, len(index)/savedEntrySize)
	for ; len(index) > 0; index = index[savedEntrySize:] {
		p := savedPlace{
			offset: binary.LittleEndian.Uint64(index[identitySize:]),
			size:   binary.LittleEndian.Uint64(index[identitySize+8:]),
		}
		if p.size > offset || p.offset > offset-p.size {
			return nil, errSaved
		}
		places[identity(index[:identitySize])] = p
	}
	return places, nil
}

// savedFilters is an open file of saved filters. Nil has none.
type savedFilters struct {
	file   vfs.File
	places map[identity]savedPlace
}

func openSaved(fs vfs.FS, path string) (*savedFilters, error) {
	file, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		var places map[identity]savedPlace
		if places, err = readSavedIndex(file, uint64(info.Size())); err == nil {
			return &savedFilters{file, places}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
}

// read returns the saved block of an entry, nil if there is none.
func (s *savedFilters) read(h head) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	place, ok := s.places[h.id]
	if !ok || place.size != uint64(h.size) {
		return nil, nil
	}
	block := make([]byte, place.size)
	if _, err := s.file.ReadAt(block, int64(place.offset)); err != nil {
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
	blocks := f.arena.blocks
	ids := make([]identity, len(blocks))
	for i, e := range blocks {
		ids[i] = e.id
	}
	err = writeSaved(file, ids, func(i int) []byte { return blocks[i].bytes(blocks[i].block.Load()) })
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, fs.Remove(temporary))
	}
	return fs.Rename(temporary, path)
}
