package pointread

import "io"

// Reader looks up keys. Its methods are documented where users find them, as
// those of pebbleext.Reader.
type Reader struct {
	store   Store
	options Options
	misses  misses
}

// New returns a Reader of a store. It begins as if all lookups had missed.
func New(store Store, options Options) *Reader {
	r := &Reader{store: store, options: options}
	r.misses.recent.Store(mostMisses)
	return r
}

// Get returns the value of a key, or Options.NotFound.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	switch r.choose() {
	case byIterator:
		value, closer, err = r.getByIterator(key)
	case byGet:
		value, closer, err = r.store.Get(key)
	}
	switch err {
	case nil:
		r.misses.record(false)
	case r.options.NotFound:
		r.misses.record(true)
		r.missed(key)
	}
	return value, closer, err
}

// Has reports whether a key is present.
func (r *Reader) Has(key []byte) (bool, error) {
	iter, err := r.store.NewIter()
	if err != nil {
		return false, err
	}
	found := r.seek(iter, key)
	err = iter.Close()
	if !found && err == nil {
		r.missed(key)
	}
	return found, err
}

// seek reports whether the store has the key, and leaves the iterator on it.
// With a comparer that splits keys the iterator may stop at another key of the
// same prefix, hence the comparison.
func (r *Reader) seek(iter Iterator, key []byte) bool {
	return iter.SeekPrefixGE(key) && r.options.Equal(iter.Key(), key)
}

// missed tells of a key that is absent.
func (r *Reader) missed(key []byte) {
	if r.options.Missed != nil {
		r.options.Missed(key)
	}
}
