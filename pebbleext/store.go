package pebbleext

import (
	"cmp"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// store is a pebble.Reader as package pointread reads it.
type store struct {
	pebble.Reader
	comparer *pebble.Comparer
	filter   *indexfilter.Filter   // nil if filters in the index must not be asked
	guard    *external.Guard       // of these
	resident *resident.Filters     // nil for none
	prefixes indexfilter.Extractor // nil for none
}

// bounded reports whether iterators can have bounds around a key, which end at
// the immediate successor of its prefix.
func (s store) bounded() bool { return s.comparer.ImmediateSuccessor != nil }

func (s store) prefix(key []byte) []byte { return key[:s.comparer.Split(key)] }

// NewIter implements pointread.Store.
func (s store) NewIter(way pointread.Way, key []byte) (pointread.Iterator, error) {
	return s.open(way, key, s.Reader.NewIter)
}

// open returns an iterator in a way, aimed at a key.
func (s store) open(way pointread.Way, key []byte, newIter func(*pebble.IterOptions) (*pebble.Iterator, error)) (pointread.Iterator, error) {
	i := iterators.Get().(*iterator)
	i.store, i.way = s, way
	if s.resident != nil {
		i.query = s.resident.Query(s.prefix(key))
	}
	i.aim(key)
	var err error
	if i.Iterator, err = newIter(&i.options); err != nil {
		i.release()
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
	err   error
	read  uint64 // bytes, by Pebble iterators before this one

	options      pebble.IterOptions
	query        *resident.Query // nil for none
	filter       indexfilter.Filter
	guarded      guarded                       // asks filter
	filters      [3]pebble.BlockPropertyFilter // in the order in which they are asked; Pebble adds one of its own
	lower, upper []byte
}

// iterators are for reuse. Pebble does the same with those within.
var iterators = sync.Pool{New: func() any { return &iterator{} }}

// aim makes options those for a key.
func (i *iterator) aim(key []byte) {
	i.aimed = true
	i.options = pebble.IterOptions{UseL6Filters: i.way == pointread.ByTableFilters}
	filters := i.filters[:0]
	if i.query != nil {
		filters = append(filters, i.query)
	}
	if i.hasBounds() {
		i.lower = append(i.lower[:0], key...)
		prefix := i.lower[:i.store.comparer.Split(key)]
		i.upper = i.store.comparer.ImmediateSuccessor(i.upper[:0], prefix)
		i.options.LowerBound, i.options.UpperBound = i.lower, i.upper
		if i.store.comparer.Compare(key, i.upper) >= 0 {
			// The successor of a comparer that is pebble.DefaultComparer with another
			// Split lies before keys of the prefix.
			i.options.UpperBound, prefix = nil, nil
		}
		if i.store.filter != nil {
			i.filter = *i.store.filter
			i.filter.SetPrefix(prefix)
			i.guarded = guarded{&i.filter, i.store.guard}
			filters = append(filters, &i.guarded)
		}
	}
	i.options.PointKeyFilters = filters
}

// hasBounds reports whether the iterator has bounds around the key. Index
// filters need them, and SeekGE. An iterator without moves on faster from key to
// key.
func (i *iterator) hasBounds() bool {
	switch i.way {
	case pointread.ByIndexFilters:
		return true
	case pointread.ByUpperFilters:
		return i.store.filter != nil
	}
	return false
}

// Seek implements pointread.Iterator.
func (i *iterator) Seek(key []byte) bool {
	if !i.aimed {
		i.move(key)
	}
	i.aimed = false
	if i.way == pointread.ByIndexFilters {
		return i.SeekGE(key)
	}
	return i.SeekPrefixGE(key)
}

// move makes the iterator that of another key.
func (i *iterator) move(key []byte) {
	stale := i.query != nil && i.query.Next(i.store.prefix(key), i.BytesRead)
	if !stale && !i.hasBounds() {
		return
	}
	i.aim(key)
	if stale {
		i.renew()
	} else {
		i.SetBounds(i.options.LowerBound, i.options.UpperBound)
	}
}

// renew makes the Pebble iterator anew, with the options, for the same state of
// the store. SetOptions is faster than Clone, but shows what an indexed batch
// has got since.
func (i *iterator) renew() {
	if _, ok := i.store.Reader.(*pebble.Batch); !ok {
		i.SetOptions(&i.options)
		return
	}
	next, err := i.Iterator.Clone(pebble.CloneOptions{IterOptions: &i.options})
	if err != nil {
		i.err = err
		return
	}
	i.read = i.BytesRead()
	i.err = i.Iterator.Close()
	i.Iterator = next
}

// Clone implements pointread.Iterator.
func (i *iterator) Clone(way pointread.Way, key []byte) (pointread.Iterator, error) {
	return i.store.open(way, key, func(options *pebble.IterOptions) (*pebble.Iterator, error) {
		return i.Iterator.Clone(pebble.CloneOptions{IterOptions: options})
	})
}

// BytesRead implements pointread.Iterator.
func (i *iterator) BytesRead() uint64 {
	stats := i.Stats().InternalStats
	return i.read + stats.BlockBytes - stats.BlockBytesInCache
}

// Error returns the first error.
func (i *iterator) Error() error { return cmp.Or(i.err, i.Iterator.Error()) }

// Close closes the iterator, which may then be another lookup's.
func (i *iterator) Close() error {
	err := i.Iterator.Close()
	i.release()
	return err
}

// release keeps the iterator's memory for another one.
func (i *iterator) release() {
	if i.query != nil {
		i.query.Done()
	}
	i.Iterator, i.store, i.query, i.err, i.read = nil, store{}, nil, nil, 0
	iterators.Put(i)
}
