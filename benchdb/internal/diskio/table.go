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

// table holds the reads of one file by kind of block.
type table struct {
	level  atomic.Int32
	counts [Kinds]counter

	once  sync.Once
	err   error
	kinds map[uint64]Kind // by a block's offset; Other for those not in it
}

func (t *table) kind(offset uint64) Kind {
	if kind, ok := t.kinds[offset]; ok {
		return kind
	}
	return Other
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

func blockKinds(l *sstable.Layout) map[uint64]Kind {
	kinds := make(map[uint64]Kind, len(l.Data)+len(l.Index)+len(l.Filter)+1)
	add := func(kind Kind, handles ...block.Handle) {
		for _, h := range handles {
			if h.Length > 0 {
				kinds[h.Offset] = kind
			}
		}
	}
	for _, h := range l.Data {
		add(Data, h.Handle)
	}
	add(Data, l.ValueBlock...)
	add(Index, l.Index...)
	add(Index, l.TopIndex)
	for _, h := range l.Filter {
		add(Filter, h.Handle)
	}
	return kinds
}
