package diskio

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

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
	kinds
)

// table holds the reads of one file by kind of block.
type table struct {
	level  atomic.Int32
	counts [kinds]counter

	once  sync.Once
	err   error
	kinds map[uint64]kind // by a block's offset; otherBlock for those not in it
}

func (t *table) kind(offset uint64) kind {
	if kind, ok := t.kinds[offset]; ok {
		return kind
	}
	return otherBlock
}

func (t *table) blocks() Blocks {
	return Blocks{
		Data: t.counts[dataBlock].load(), Index: t.counts[indexBlock].load(),
		Filter: t.counts[filterBlock].load(), Other: t.counts[otherBlock].load(),
	}
}

// locate learns which blocks the file holds. Its own reads are not counted.
func (t *table) locate(fs vfs.FS, name string, options sstable.ReaderOptions) error {
	t.once.Do(func() {
		var layout *sstable.Layout
		if layout, t.err = Layout(fs, name, options); t.err == nil {
			t.kinds = blockKinds(layout)
		}
	})
	return t.err
}

// Layout reads where the blocks of a table are.
func Layout(fs vfs.FS, name string, options sstable.ReaderOptions) (layout *sstable.Layout, err error) {
	file, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	reader, err := sstable.NewReader(context.Background(), readable, options)
	if err != nil {
		return nil, err // the reader closed the file
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return reader.Layout()
}

func blockKinds(l *sstable.Layout) map[uint64]kind {
	kinds := make(map[uint64]kind, len(l.Data)+len(l.Index)+len(l.Filter)+1)
	eachBlock(l, func(h block.Handle, k kind) { kinds[h.Offset] = k })
	return kinds
}

// eachBlock visits the blocks that lookups read.
func eachBlock(l *sstable.Layout, visit func(h block.Handle, k kind)) {
	add := func(k kind, handles ...block.Handle) {
		for _, h := range handles {
			if h.Length > 0 {
				visit(h, k)
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
}
