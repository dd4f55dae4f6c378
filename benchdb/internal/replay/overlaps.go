package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// table is a table of a store, as far as lookups of the keys go.
type table struct {
	level  int
	info   pebble.SSTableInfo
	policy string // the name of the policy that wrote filter
	filter []byte // nil without one
	index  int    // bits of a fingerprint of its index filters, 0 without any
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
	// partition is the size of a level's index blocks: a larger index has
	// partitions of it.
	partition [pebbleext.NumLevels]uint64
}

// Survey finds the tables that a lookup of each key comes to. It opens these tables
// only, and seeks the key in them. Its time is in proportion to the keys, not to
// the store.
func (v *View) Survey(ctx context.Context, keys [][]byte) (*Overlaps, error) {
	s := &survey{
		View:   v,
		sorted: make([]int, len(keys)), blocks: map[uint64]*filterBlock{},
		Overlaps: &Overlaps{
			keys: keys, Absent: make([]bool, len(keys)),
			visits: make([][]visit, len(keys)), truth: store.NewTruth(),
			reserved: int64(min(v.defaults.MemTableSize, initialMemTable)),
		},
	}
	for level := range s.partition {
		s.partition[level] = uint64(v.defaults.Levels[level].IndexBlockSize)
	}
	for i, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		has, err := v.has(key)
		if err != nil {
			return nil, err
		}
		s.Absent[i], s.sorted[i] = !has, i
	}
	slices.SortFunc(s.sorted, func(a, b int) int { return v.comparer.Compare(keys[a], keys[b]) })
	for level, tables := range v.levels {
		if err := s.level(ctx, level, tables); err != nil {
			return nil, err
		}
	}
	for _, b := range s.blocks { // virtual tables share one
		s.truth.Add(b.bytes, b.level, b.asked)
	}
	return s.Overlaps, nil
}

// initialMemTable is the size of Pebble's first memtable, at most.
const initialMemTable = 256 << 10

type survey struct {
	*View
	*Overlaps
	sorted []int                   // keys by their order
	blocks map[uint64]*filterBlock // by file
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
		t := table{level: level, info: info, index: indexfilter.TableBits(info.Properties.UserProperties, s.comparer)}
		if err := s.table(t, s.sorted[first:last]); err != nil {
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
		v, err := r.seek(s.comparer, key)
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
