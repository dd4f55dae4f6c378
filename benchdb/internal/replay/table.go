package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
)

// reader reads one table and notes the blocks that it reads.
type reader struct {
	file   *notedFile
	table  *sstable.Reader
	layout *sstable.Layout
	data   map[uint64]bool // offsets of data blocks
	last   []dataBlock     // where iter is

	iter sstable.Iterator
}

func (v *View) open(info pebble.SSTableInfo) (r *reader, err error) {
	if info.BackingType != pebble.BackingTypeLocal {
		return nil, errors.New("it is in shared or external storage")
	}
	file, err := vfs.Default.Open(vfs.Default.PathJoin(v.dir, fmt.Sprintf("%06d.sst", uint64(info.BackingSSTNum))))
	if err != nil {
		return nil, err
	}
	r = &reader{file: &notedFile{File: file}, data: map[uint64]bool{}}
	if r.table, err = diskio.OpenTable(r.file, v.defaults.MakeReaderOptions()); err != nil {
		return nil, err
	}
	if r.layout, err = r.table.Layout(); err == nil {
		r.iter, err = r.table.NewIter(sstable.NoTransforms, nil, nil, sstable.DebugHandlesBlobContext)
	}
	if err != nil {
		return nil, errors.Join(err, r.table.Close())
	}
	for _, b := range r.layout.Data {
		r.data[b.Offset] = true
	}
	return r, nil
}

func (r *reader) close() error {
	return errors.Join(r.iter.Close(), r.table.Close())
}

// filter returns the table's filter block.
func (r *reader) filter() (policy string, block []byte, err error) {
	if len(r.layout.Filter) == 0 || r.layout.Filter[0].Length == 0 {
		return "", nil, nil
	}
	handle := r.layout.Filter[0]
	block = make([]byte, handle.Length)
	_, err = r.file.ReadAt(block, int64(handle.Offset))
	return strings.TrimPrefix(handle.Name, "fullfilter."), block, err
}

// seek looks for a key, and for others of its prefix: newer versions of it come
// first.
func (r *reader) seek(c *pebble.Comparer, key []byte) (v visit, err error) {
	prefix := key[:c.Split(key)]
	for _, at := range [][]byte{prefix, key} {
		if kv := r.iter.SeekGE(at, 0); kv != nil {
			v.has = c.Equal(kv.K.UserKey, key)
			v.sibling = v.sibling || bytes.Equal(kv.K.UserKey[:c.Split(kv.K.UserKey)], prefix)
		}
		r.note()
	}
	v.blocks = r.last
	return v, r.iter.Error()
}

// note notes the data blocks that a seek has read, if any: otherwise the iterator
// had the block.
func (r *reader) note() {
	var blocks []dataBlock
	for _, b := range r.file.reads {
		if r.data[b.offset] {
			blocks = append(blocks, b)
		}
	}
	r.file.reads = r.file.reads[:0]
	if len(blocks) > 0 {
		r.last = blocks
	} else if len(r.last) > 1 {
		r.last = r.last[len(r.last)-1:]
	}
}

// notedFile notes what is read of a table.
type notedFile struct {
	vfs.File
	reads []dataBlock
}

func (f *notedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.reads = append(f.reads, dataBlock{uint64(offset), uint64(len(p))})
	return f.File.ReadAt(p, offset)
}
