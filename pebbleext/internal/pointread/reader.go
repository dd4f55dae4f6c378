package pointread

import "io"

// Reader looks up keys with the filters of all levels, L6 included, so that a
// lookup of an absent key rarely reads a data block.
//
// It answers as the pebble.Reader beneath it would: the value after merges,
// deletions and range deletions, with range keys ignored; and it fails as that
// one does, with a panic if the store is closed. Each call sees the state of
// the store at that call. A Reader keeps no other state and needs no Close.
//
// A Reader over a DB or a snapshot is safe for concurrent use; one over an
// indexed batch is as safe as the batch, for reads without writes.
//
// Only iterators can ask the filters of L6, and an iterator looks into every
// level, where pebble.DB.Get stops at the first one that has the key. Get
// therefore follows how many of its lookups miss, and leaves them to
// pebble.DB.Get while fewer than one in nine does. Has and the batch forms
// always use iterators.
type Reader[I Iterator, O any] struct {
	store   Store[I, O]
	version Version[O]
	misses  misses
}

// New returns a Reader over a DB, a snapshot or an indexed batch.
func New[I Iterator, O any](store Store[I, O], version Version[O]) *Reader[I, O] {
	r := &Reader[I, O]{store: store, version: version}
	r.misses.recent.Store(mostMisses)
	return r
}

// Get returns the value of a key, or pebble.ErrNotFound. As with
// pebble.DB.Get, the caller must not modify the value, which stays valid until
// closer is closed, and must close closer if err is nil.
func (r *Reader[I, O]) Get(key []byte) (value []byte, closer io.Closer, err error) {
	if r.misses.frequent() {
		value, closer, err = r.get(key)
	} else {
		value, closer, err = r.getAbove(key)
	}
	r.misses.record(err == r.version.NotFound)
	return value, closer, err
}

// get is Get with the filters of L6.
func (r *Reader[I, O]) get(key []byte) ([]byte, io.Closer, error) {
	iter, err := r.store.NewIter(&r.version.Options)
	if err != nil {
		return nil, nil, err
	}
	if !r.seek(iter, key) {
		if err := iter.Close(); err != nil {
			return nil, nil, err
		}
		return nil, nil, r.version.NotFound
	}
	value, err := iter.ValueAndErr()
	if err != nil {
		_ = iter.Close() // the same error again
		return nil, nil, err
	}
	return value, iter, nil
}

// getAbove is Get without the filters of L6.
func (r *Reader[I, O]) getAbove(key []byte) ([]byte, io.Closer, error) {
	done := r.watch(key)
	value, closer, err := r.store.Get(key)
	if absent := err == r.version.NotFound; absent {
		r.finish(done, key, false, false, nil)
	} else {
		r.finish(done, key, true, true, err)
	}
	return value, closer, err
}

// Has reports whether a key is present. It reads no value that is stored apart
// from its key, in a value block or blob file; merge operands are read, because
// a merge can delete its key.
func (r *Reader[I, O]) Has(key []byte) (bool, error) {
	iter, err := r.store.NewIter(&r.version.Options)
	if err != nil {
		return false, err
	}
	found := r.seek(iter, key)
	return found, iter.Close()
}

// seek reports whether the store has the key, and leaves the iterator on it.
// With a comparer that splits keys the iterator may stop at another key of the
// same prefix, hence the comparison.
func (r *Reader[I, O]) seek(iter I, key []byte) bool {
	done := r.watch(key)
	prefixFound := iter.SeekPrefixGE(key)
	found := prefixFound && r.version.Equal(iter.Key(), key)
	if done != nil || !found {
		r.finish(done, key, found, prefixFound, iter.Error())
	}
	return found
}

// watch begins a lookup.
func (r *Reader[I, O]) watch(key []byte) (done func(prefixFound bool, err error)) {
	if r.version.Watch == nil {
		return nil
	}
	return r.version.Watch(key)
}

// finish ends a lookup.
func (r *Reader[I, O]) finish(done func(prefixFound bool, err error), key []byte, found, prefixFound bool, err error) {
	if done != nil {
		done(prefixFound, err)
	}
	if !found && err == nil && r.version.Missed != nil {
		r.version.Missed(key)
	}
}
