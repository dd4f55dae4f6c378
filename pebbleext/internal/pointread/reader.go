package pointread

import (
	"io"
	"slices"
)

// Reader looks up keys. Its methods are documented where users find them, as
// those of pebbleext.Reader.
type Reader struct {
	store   Store
	options Options
	choices *choices
}

// choices are the choosers of methods whose lookups differ in cost.
type choices struct{ get, has, many *chooser }

// New returns a Reader of a store. It begins with the filters of all levels,
// as if they were in the block cache, unless those in memory come before them.
func New(store Store, options Options) *Reader {
	iterators := slices.DeleteFunc(slices.Clone(options.Ways), func(way Way) bool { return way == ByGet })
	first := ByTableFilters
	if options.Resident {
		first = ByIndexFilters
	}
	return &Reader{store, options, &choices{
		get:  newChooser(first, options.Ways, options),
		has:  newChooser(first, iterators, options),
		many: newChooser(first, iterators, options),
	}}
}

// Over returns a Reader of another state of the same store. Both know what
// lookups of either have cost.
func (r *Reader) Over(store Store) *Reader { return &Reader{store, r.options, r.choices} }

// Get returns the value of a key, or Options.NotFound.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	l := r.choices.get.lookUp(key)
	if l.way == ByGet {
		value, closer, err = r.store.Get(key)
	} else {
		value, closer, err = r.getByIter(&l, key)
	}
	switch err {
	case nil:
		l.end(false)
	case r.options.NotFound:
		l.end(true)
		r.missed(key)
	}
	return value, closer, err
}

func (r *Reader) getByIter(l *lookup, key []byte) ([]byte, io.Closer, error) {
	iter, err := r.store.NewIter(l.way, key)
	if err != nil {
		return nil, nil, err
	}
	found := r.seek(iter, key)
	l.count(iter)
	if !found {
		if err := iter.Close(); err != nil {
			return nil, nil, err
		}
		return nil, nil, r.options.NotFound
	}
	value, err := iter.ValueAndErr()
	if err != nil {
		_ = iter.Close() // the same error again
		return nil, nil, err
	}
	return value, iter, nil
}

// Has reports whether a key is present.
func (r *Reader) Has(key []byte) (bool, error) {
	l := r.choices.has.lookUp(key)
	iter, err := r.store.NewIter(l.way, key)
	if err != nil {
		return false, err
	}
	found := r.seek(iter, key)
	l.count(iter)
	if err := iter.Close(); err != nil {
		return found, err
	}
	l.end(!found)
	if !found {
		r.missed(key)
	}
	return found, nil
}

// seek reports whether the store has the key, and leaves the iterator on it.
// With a comparer that splits keys the iterator may stop at another key of the
// same prefix, hence the comparison.
func (r *Reader) seek(iter Iterator, key []byte) bool {
	return iter.Seek(key) && r.options.Compare(iter.Key(), key) == 0
}

// missed tells of a key that is absent.
func (r *Reader) missed(key []byte) {
	if r.options.Missed != nil {
		r.options.Missed(key)
	}
}
