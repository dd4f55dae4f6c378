package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Survey is the truth about keys in a store: which of them it has, and which of
// its filters hold them.
type Survey struct {
	Absent  []bool // by key
	Outside int    // keys that lie in no table
	// Shape is what forecasts are made of.
	Shape levelplan.Shape

	keys  [][]byte
	truth *store.Truth
}

// absent is the share of the keys that are not there.
func (s *Survey) absent() float64 {
	n := 0
	for _, absent := range s.Absent {
		if absent {
			n++
		}
	}
	return float64(n) / float64(max(len(s.Absent), 1))
}

// Workloads are all keys, and, if there are both, those that are there and those
// that are not.
func (s *Survey) Workloads() (all []ycsb.Workload) {
	add := func(name string, absent float64) {
		all = append(all, ycsb.Workload{Name: name, Absent: absent, Mix: [ycsb.Kinds]float64{ycsb.Read: 1}})
	}
	absent := s.absent()
	if absent > 0 && absent < 1 {
		add("all keys", absent)
	}
	if absent < 1 {
		add("present keys", 0)
	}
	if absent > 0 {
		add("absent keys", 1)
	}
	return all
}

// Of returns the keys of a workload.
func (s *Survey) Of(w ycsb.Workload) (keys []run.Key) {
	for i, key := range s.keys {
		if s.Absent[i] && w.Absent > 0 || !s.Absent[i] && w.Absent < 1 {
			keys = append(keys, run.Key{Bytes: key, Absent: s.Absent[i]})
		}
	}
	return keys
}

// Survey looks the keys up, and seeks each in the tables that may have it. It
// opens these tables only: its time is in proportion to the keys, not to the
// store.
func (v *View) Survey(ctx context.Context, keys [][]byte) (*Survey, error) {
	s := &survey{
		View: v, sorted: make([]int, len(keys)), inside: make([]bool, len(keys)), blocks: map[uint64]*filterBlock{},
		Survey: &Survey{keys: keys, Absent: make([]bool, len(keys)), truth: store.NewTruth()},
	}
	var err error
	if s.Shape, err = levelplan.ReadShape(v.db, v.comparer); err != nil {
		return nil, err
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
		for _, info := range tables {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := s.table(level, info); err != nil {
				return nil, fmt.Errorf("table %s: %w", info.FileNum, err)
			}
		}
	}
	for _, b := range s.blocks { // virtual tables share one
		s.truth.Add(b.bytes, b.level, b.asked)
	}
	for _, inside := range s.inside {
		if !inside {
			s.Outside++
		}
	}
	return s.Survey, nil
}

type survey struct {
	*View
	*Survey
	sorted []int // keys by their order
	inside []bool
	blocks map[uint64]*filterBlock // by file
}

type filterBlock struct {
	level int
	bytes []byte
	asked [][]byte // prefixes of keys that are in it
}

// within returns the keys within the bounds of a table, in order.
func (s *survey) within(info pebble.SSTableInfo) []int {
	after := func(bound []byte, least int) int {
		return sort.Search(len(s.sorted), func(i int) bool { return s.comparer.Compare(s.keys[s.sorted[i]], bound) >= least })
	}
	first := after(info.Smallest.UserKey, 0)
	return s.sorted[first:max(first, after(info.Largest.UserKey, 1))]
}

// table notes which keys' prefixes a table has.
func (s *survey) table(level int, info pebble.SSTableInfo) (err error) {
	keys := s.within(info)
	if len(keys) == 0 {
		return nil
	}
	r, err := s.open(info)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	file := uint64(info.BackingSSTNum)
	if s.blocks[file] == nil {
		block, err := r.filter()
		if err != nil {
			return err
		}
		s.blocks[file] = &filterBlock{level: level, bytes: block}
	}
	b := s.blocks[file]
	for _, i := range keys {
		s.inside[i] = true
		prefix := s.keys[i][:s.comparer.Split(s.keys[i])]
		has, err := r.has(s.comparer, prefix)
		if err != nil {
			return err
		}
		if has {
			b.asked = append(b.asked, prefix)
		}
	}
	return nil
}
