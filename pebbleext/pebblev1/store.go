package pebblev1

import (
	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/blockproperty"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// store is a pebble.Reader as package pointread reads it.
type store struct {
	pebble.Reader
	comparer *pebble.Comparer
	rule     *pointread.Rule
}

// bounded reports whether iterators can have bounds around a key, which end at
// the immediate successor of its prefix. Index filters need them.
func (s store) bounded() bool { return s.comparer.ImmediateSuccessor != nil }

// State implements pointread.Store. The Get of an indexed batch shows what the
// store gets meanwhile.
func (s store) State() pointread.State {
	switch r := s.Reader.(type) {
	case *pebble.DB:
		return r.NewSnapshot()
	case *pebble.Snapshot:
		return leftOpen{r}
	case *pebble.EventuallyFileOnlySnapshot:
		return leftOpen{r}
	}
	return nil
}

// leftOpen is another's to close.
type leftOpen struct{ pebble.Reader }

// Close implements pointread.State.
func (leftOpen) Close() error { return nil }

// NewIter implements pointread.Store.
func (s store) NewIter(way pointread.Way, key []byte) (pointread.Iterator, error) {
	i := &iterator{store: s, way: way}
	i.options.UseL6Filters = way == pointread.Tables
	if i.hasBounds() {
		i.filter.name = blockproperty.IndexName(s.comparer.Name)
		i.filters[0] = &i.filter
		i.options.PointKeyFilters = i.filters[:1]
	}
	i.aim(key)
	var err error
	i.Iterator, err = s.Reader.NewIter(&i.options)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// iterator is a pebble.Iterator that looks up one key at a time.
type iterator struct {
	*pebble.Iterator
	store store
	way   pointread.Way
	aimed bool // at the key that is to be sought

	options pebble.IterOptions
	filter  indexFilter
	filters [2]pebble.BlockPropertyFilter // Pebble adds one of its own
}

// hasBounds reports whether the iterator has bounds around the key.
func (i *iterator) hasBounds() bool {
	return i.store.bounded() && i.way == pointread.Index
}

// aim makes bounds and filter those of a key.
func (i *iterator) aim(key []byte) {
	i.aimed = true
	if !i.hasBounds() {
		return
	}
	i.options.LowerBound = append(i.options.LowerBound[:0], key...)
	i.filter.prefix = i.options.LowerBound[:i.store.comparer.Split(key)]
	i.options.UpperBound = i.store.comparer.ImmediateSuccessor(i.options.UpperBound[:0], i.filter.prefix)
	if i.store.comparer.Compare(key, i.options.UpperBound) >= 0 {
		// The successor is that of another Split: comparers are often made of
		// pebble.DefaultComparer.
		i.options.UpperBound, i.filter.prefix = nil, nil
	}
}

// Seek implements pointread.Iterator.
func (i *iterator) Seek(key []byte) bool {
	if !i.aimed && i.hasBounds() {
		i.aim(key)
		i.SetBounds(i.options.LowerBound, i.options.UpperBound)
	}
	i.aimed = false
	if i.way == pointread.Index {
		return i.SeekGE(key)
	}
	return i.SeekPrefixGE(key)
}
