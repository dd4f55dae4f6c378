package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/store"
)

// table is a table of a store, as far as lookups of the keys go.
type table struct {
	level  int
	info   pebble.SSTableInfo
	policy string // the name of the policy that wrote filter
	filter []byte // nil without one
}

func (t *table) keys() int64 {
	return int64(t.info.Properties.NumEntries - t.info.Properties.NumRangeDeletions)
}

// visit is a table that a lookup comes to.
type visit struct {
	table int32
	// overlaps says that the key is within the bounds of the table. An iterator
	// also looks into the table behind a gap.
	overlaps bool
	has      bool // the key, or a tombstone of it
	sibling  bool // a key of the same prefix
	denied   bool // by the filter that the table has
	blocks   []dataBlock
}

// dataBlock is one that a seek reads.
type dataBlock struct{ offset, size uint64 }

// Overlaps is the truth about keys in a store: which tables lie in the way of
// each, which of them have it, and the data block in which it is or would be.
type Overlaps struct {
	Absent []bool // by key

	keys   [][]byte
	tables []table
	visits [][]visit // by key, in the order of lookups
	truth  *store.Truth
	// reserved is what a memtable takes of the block cache when a store is
	// opened, whatever is in it.
	reserved int64
}

// Truth has the filter blocks of the store.
func (o *Overlaps) Truth() *store.Truth { return o.truth }

// Survey finds the tables in the way of keys. It opens tables that lie in the
// way of one and seeks each key in them, so it takes a time in proportion to the
// keys, not to the store.
func Survey(ctx context.Context, dir string, opts *pebble.Options, keys [][]byte) (o *Overlaps, err error) {
	o = &Overlaps{keys: keys, Absent: make([]bool, len(keys)), visits: make([][]visit, len(keys)), truth: store.NewTruth()}
	opts = opts.Clone()
	opts.ReadOnly, opts.DisableTableStats = true, true
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	o.reserved = int64(min(max(opts.MemTableSize, 1), initialMemTable))
	if err := o.look(ctx, db); err != nil {
		return nil, err
	}
	levels, err := db.SSTables(pebble.WithProperties())
	if err != nil {
		return nil, err
	}
	s := &survey{
		Overlaps: o, dir: dir, opts: opts, comparer: opts.Comparer.EnsureDefaults(),
		sorted: make([]int, len(keys)), blocks: map[uint64]*filterBlock{},
	}
	for i := range s.sorted {
		s.sorted[i] = i
	}
	slices.SortFunc(s.sorted, func(a, b int) int { return s.comparer.Compare(keys[a], keys[b]) })
	for level, tables := range levels {
		if err := s.level(ctx, level, tables); err != nil {
			return nil, err
		}
	}
	for _, b := range s.blocks { // virtual tables share one
		o.truth.Add(b.bytes, b.level, b.asked)
	}
	return o, nil
}

// initialMemTable is the size of Pebble's first memtable, at most.
const initialMemTable = 256 << 10

// look finds which keys are there.
func (o *Overlaps) look(ctx context.Context, db *pebble.DB) error {
	for i, key := range o.keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, closer, err := db.Get(key)
		if errors.Is(err, pebble.ErrNotFound) {
			o.Absent[i] = true
			continue
		}
		if err != nil {
			return err
		}
		if err := closer.Close(); err != nil {
			return err
		}
	}
	return nil
}

type survey struct {
	*Overlaps
	dir      string
	opts     *pebble.Options
	comparer *pebble.Comparer
	sorted   []int                   // keys by their order
	blocks   map[uint64]*filterBlock // by file
}

type filterBlock struct {
	level int
	bytes []byte
	asked [][]byte // prefixes of keys that are in it
}

// from returns the position of the first sorted key that is at least a bound.
func (s *survey) from(bound []byte) int {
	return sort.Search(len(s.sorted), func(i int) bool { return s.comparer.Compare(s.keys[s.sorted[i]], bound) >= 0 })
}

// above is from for keys greater than a bound.
func (s *survey) above(bound []byte) int {
	return sort.Search(len(s.sorted), func(i int) bool { return s.comparer.Compare(s.keys[s.sorted[i]], bound) > 0 })
}

// level visits the tables of a level: of L0 the newest first, and only those
// that overlap a key.
func (s *survey) level(ctx context.Context, level int, tables []pebble.SSTableInfo) error {
	if level == 0 {
		tables = slices.Clone(tables)
		slices.Reverse(tables)
	}
	first := 0
	for _, info := range tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		if level == 0 {
			first = s.from(info.Smallest.UserKey)
		}
		last := max(first, s.above(info.Largest.UserKey))
		if err := s.table(table{level: level, info: info}, s.sorted[first:last]); err != nil {
			return fmt.Errorf("table %s: %w", info.FileNum, err)
		}
		first = last
	}
	return nil
}

// table visits a table with keys in order.
func (s *survey) table(t table, keys []int) (err error) {
	number := int32(len(s.tables))
	defer func() { s.tables = append(s.tables, t) }()
	if len(keys) == 0 {
		return nil
	}
	if t.info.BackingType != pebble.BackingTypeLocal {
		return errors.New("it is in shared or external storage")
	}
	r, err := s.open(t.info)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if t.policy, t.filter, err = r.filter(); err != nil {
		return err
	}
	b := s.block(t)
	ask := s.opts.Filters[t.policy]
	for _, i := range keys {
		key := s.keys[i]
		prefix := key[:s.comparer.Split(key)]
		v, err := r.seek(s.comparer, key, prefix)
		if err != nil {
			return err
		}
		v.table = number
		v.overlaps = s.comparer.Compare(key, t.info.Smallest.UserKey) >= 0
		v.denied = ask != nil && len(t.filter) > 0 && !ask.MayContain(pebble.TableFilter, t.filter, prefix)
		if v.sibling {
			b.asked = append(b.asked, prefix)
		}
		s.visits[i] = append(s.visits[i], v)
	}
	return nil
}

func (s *survey) block(t table) *filterBlock {
	file := uint64(t.info.BackingSSTNum)
	if s.blocks[file] == nil {
		s.blocks[file] = &filterBlock{level: t.level, bytes: t.filter}
	}
	return s.blocks[file]
}

// reader reads one table and notes the blocks that it reads.
type reader struct {
	file   *notedFile
	table  *sstable.Reader
	layout *sstable.Layout
	data   map[uint64]bool // offsets of data blocks
	last   []dataBlock     // where iter is

	iter, prefixes sstable.Iterator
}

func (s *survey) open(info pebble.SSTableInfo) (r *reader, err error) {
	name := vfs.Default.PathJoin(s.dir, fmt.Sprintf("%06d.sst", uint64(info.BackingSSTNum)))
	file, err := vfs.Default.Open(name)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r = &reader{file: &notedFile{Readable: readable}, data: map[uint64]bool{}}
	opts := s.opts.Clone()
	opts.EnsureDefaults()
	if r.table, err = sstable.NewReader(context.Background(), r.file, opts.MakeReaderOptions()); err != nil {
		return nil, err // the reader closed the file
	}
	if r.layout, err = r.table.Layout(); err == nil {
		r.iter, err = r.table.NewIter(sstable.NoTransforms, nil, nil, sstable.DebugHandlesBlobContext)
	}
	if err == nil {
		if r.prefixes, err = r.table.NewIter(sstable.NoTransforms, nil, nil, sstable.DebugHandlesBlobContext); err != nil {
			err = errors.Join(err, r.iter.Close())
		}
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
	return errors.Join(r.iter.Close(), r.prefixes.Close(), r.table.Close())
}

// filter returns the table's filter block.
func (r *reader) filter() (policy string, block []byte, err error) {
	if len(r.layout.Filter) == 0 || r.layout.Filter[0].Length == 0 {
		return "", nil, nil
	}
	handle := r.layout.Filter[0]
	block = make([]byte, handle.Length)
	err = r.file.ReadAt(context.Background(), block, int64(handle.Offset))
	return strings.TrimPrefix(handle.Name, "fullfilter."), block, err
}

func (r *reader) seek(c *pebble.Comparer, key, prefix []byte) (v visit, err error) {
	r.file.reads = r.file.reads[:0]
	kv := r.iter.SeekGE(key, 0)
	var blocks []dataBlock
	for _, b := range r.file.reads {
		if r.data[b.offset] {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) > 0 { // otherwise the iterator had the block
		r.last = blocks
	} else if len(r.last) > 1 {
		r.last = r.last[len(r.last)-1:]
	}
	v.blocks = r.last
	if kv != nil {
		v.has = c.Equal(kv.K.UserKey, key)
		v.sibling = bytes.Equal(kv.K.UserKey[:c.Split(kv.K.UserKey)], prefix)
	}
	if !v.sibling && len(prefix) < len(key) { // a newer version may be there
		if kv := r.prefixes.SeekGE(prefix, 0); kv != nil {
			v.sibling = bytes.Equal(kv.K.UserKey[:c.Split(kv.K.UserKey)], prefix)
		}
	}
	return v, errors.Join(r.iter.Error(), r.prefixes.Error())
}

// notedFile notes what is read of a table.
type notedFile struct {
	objstorage.Readable
	reads []dataBlock
}

func (f *notedFile) ReadAt(ctx context.Context, p []byte, offset int64) error {
	f.reads = append(f.reads, dataBlock{uint64(offset), uint64(len(p))})
	return f.Readable.ReadAt(ctx, p, offset)
}

func (f *notedFile) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	h := objstorage.MakeNoopReadHandle(f)
	return &h
}
