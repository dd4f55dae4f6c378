package replay

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
)

// reader reads one table.
type reader struct {
	file  vfs.File
	table *sstable.Reader
	iter  sstable.Iterator
}

func (v *View) open(info pebble.SSTableInfo) (r *reader, err error) {
	if info.BackingType != pebble.BackingTypeLocal {
		return nil, errors.New("it is in shared or external storage")
	}
	file, err := vfs.Default.Open(vfs.Default.PathJoin(v.dir, fmt.Sprintf("%06d.sst", uint64(info.BackingSSTNum))))
	if err != nil {
		return nil, err
	}
	r = &reader{file: file}
	if r.table, err = diskio.OpenTable(r.file, v.defaults.MakeReaderOptions()); err != nil {
		return nil, err
	}
	if r.iter, err = r.table.NewIter(sstable.NoTransforms, nil, nil, sstable.DebugHandlesBlobContext); err != nil {
		return nil, errors.Join(err, r.table.Close())
	}
	return r, nil
}

func (r *reader) close() error {
	return errors.Join(r.iter.Close(), r.table.Close())
}

// filter returns the table's filter block, nil if it has none.
func (r *reader) filter() (block []byte, err error) {
	layout, err := r.table.Layout()
	if err != nil || len(layout.Filter) == 0 || layout.Filter[0].Length == 0 {
		return nil, err
	}
	block = make([]byte, layout.Filter[0].Length)
	_, err = r.file.ReadAt(block, int64(layout.Filter[0].Offset))
	return block, err
}

// has reports whether the table has a key of a prefix.
func (r *reader) has(c *pebble.Comparer, prefix []byte) (bool, error) {
	kv := r.iter.SeekGE(prefix, 0)
	return kv != nil && bytes.Equal(kv.K.UserKey[:c.Split(kv.K.UserKey)], prefix), r.iter.Error()
}
