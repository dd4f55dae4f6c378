package pebbleext

import (
	"cmp"
	"fmt"
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
	rule     *pointread.Rule
	uncached bool // no cache that filters could take memory off
}

func (s store) prefix(key []byte) []byte { return key[:s.comparer.Split(key)] }

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
	i := iterators.Get().(*iterator)
	i.store, i.way = s, way
	if s.resident != nil {
		i.query = s.resident.Query(s.prefix(key))
	}
	i.aim(key)
	var err error
	if i.Iterator, err = s.Reader.NewIter(&i.options); err != nil {
		i.release()
		return nil, err
	}
	return i, nil
}

// iterator is a pebble.Iterator that looks up one key at a time.
type iterator struct {
	*pebble.Iterator
	store   store
	way     pointread.Way
	aimed   bool // at the key that is to be sought
	bounded bool // the key lies before upper
	err     error
	read    uint64 // bytes, by Pebble iterators before this one

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
	i.options = pebble.IterOptions{UseL6Filters: i.way == pointread.Tables}
	filters := i.filters[:0]
	if i.query != nil {
		filters = append(filters, i.query)
	}
	i.lower = append(i.lower[:0], key...)
	i.bounded = i.setUpper()
	i.filter.SetPrefix(nil) // for all keys
	if i.way == pointread.Index && i.bounded {
		i.options.LowerBound, i.options.UpperBound = i.lower, i.upper
		if i.store.filter != nil {
			i.filter = *i.store.filter
			i.filter.SetPrefix(i.store.prefix(i.lower))
			i.guarded = guarded{&i.filter, i.store.guard}
			filters = append(filters, &i.guarded)
		}
	}
	i.options.PointKeyFilters = filters
}

// setUpper makes upper the immediate successor of the key's prefix. It reports
// whether that is behind the key, as it must be. It is not where a comparer is
// pebble.DefaultComparer with another Split. Pebble cuts range deletions off at
// the successor (SeekPrefixGE), and bounds would hide the key: the Reader goes by
// pebble.DB.Get from then on, and this iterator by a plain SeekGE.
func (i *iterator) setUpper() bool {
	comparer := i.store.comparer
	if comparer.ImmediateSuccessor == nil {
		return false
	}
	i.upper = comparer.ImmediateSuccessor(i.upper[:0], i.store.prefix(i.lower))
	if comparer.Compare(i.lower, i.upper) < 0 {
		return true
	}
	i.store.rule.OnlyGet(fmt.Sprintf("the comparer's ImmediateSuccessor of a prefix is not behind the key %s", comparer.FormatKey(i.lower)))
	return false
}

// Seek implements pointread.Iterator.
func (i *iterator) Seek(key []byte) bool {
	if !i.aimed {
		i.move(key)
	}
	i.aimed = false
	if i.way == pointread.Tables && i.bounded {
		return i.SeekPrefixGE(key)
	}
	return i.SeekGE(key)
}

// move makes the iterator that of another key. Without bounds it moves on faster.
func (i *iterator) move(key []byte) {
	stale := i.query != nil && i.query.Next(i.store.prefix(key), i.BytesRead)
	i.aim(key)
	switch {
	case stale:
		i.renew()
	case i.way == pointread.Index:
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

// BytesRead returns how many bytes of blocks were not in the block cache.
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
