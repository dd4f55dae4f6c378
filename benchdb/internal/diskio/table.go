package diskio

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// kind is the kind of block that a read asks for.
type kind uint8

const (
	dataBlock kind = iota
	indexBlock
	filterBlock
	otherBlock
)

// Table knows where the blocks of a table are that lookups read.
type Table struct{ blocks []tableBlock }

type tableBlock struct {
	first, last int64 // last is not in it
	kind        kind
}

// OpenTable reads a table apart from its store. The file is the reader's, and is
// closed if there is none.
func OpenTable(file vfs.File, options sstable.ReaderOptions) (*sstable.Reader, error) {
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return sstable.NewReader(context.Background(), readable, options) // or closes the file
}

// readTable learns where the blocks of a table are.
func readTable(fs vfs.FS, name string, options sstable.ReaderOptions) (*Table, error) {
	file, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	reader, err := OpenTable(file, options)
	if err != nil {
		return nil, err
	}
	layout, err := reader.Layout()
	if err := errors.Join(err, reader.Close()); err != nil {
		return nil, err
	}
	t := NewTable(layout)
	return &t, nil
}

// NewTable returns the Table of a layout.
func NewTable(l *sstable.Layout) (t Table) {
	add := func(k kind, handles ...block.Handle) {
		for _, h := range handles {
			if h.Length > 0 {
				t.blocks = append(t.blocks, tableBlock{int64(h.Offset), int64(h.Offset + h.Length + block.TrailerLen), k})
			}
		}
	}
	for _, h := range l.Data {
		add(dataBlock, h.Handle)
	}
	add(dataBlock, l.ValueBlock...)
	add(indexBlock, l.Index...)
	add(indexBlock, l.TopIndex)
	for _, h := range l.Filter {
		add(filterBlock, h.Handle)
	}
	slices.SortFunc(t.blocks, func(a, b tableBlock) int { return cmp.Compare(a.first, b.first) })
	return t
}

// EndSize is the size of a table's end with all that Pebble reads of an object to
// open it, as Pebble guesses it.
const EndSize = int64(objstorage.ReadBeforeForNewReader)

// CountObject counts a read of bytes from first on, before last, of a table that
// is an object of so many in all. The table's end is other than its blocks.
func (t Table) CountObject(counts *Blocks, first, last, size int64) {
	k := otherBlock
	if last != size || first != max(0, size-EndSize) {
		k = t.kind(first, last)
	}
	count := counts.of(k)
	*count = count.Add(Count{1, last - first})
}

// kind tells which kind of block a read wants of the bytes from first on, before
// last. Pebble reads one block, or of an object one and what is before it (an
// index), or one and what is behind it (data, in sequence): the block whose end is
// the read's is the one that it wants, else the one at its start.
func (t Table) kind(first, last int64) kind {
	byLast := func(b tableBlock, last int64) int { return cmp.Compare(b.last, last) }
	if i, found := slices.BinarySearchFunc(t.blocks, last, byLast); found {
		return t.blocks[i].kind
	}
	// A secondary cache reads a part of a block.
	byFirst := func(b tableBlock, first int64) int { return cmp.Compare(b.first, first+1) }
	i, _ := slices.BinarySearchFunc(t.blocks, first, byFirst)
	if i > 0 && first < t.blocks[i-1].last {
		return t.blocks[i-1].kind
	}
	return otherBlock
}
