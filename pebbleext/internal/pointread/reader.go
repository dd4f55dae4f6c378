package pointread

import "io"

// Reader looks up keys. Its methods are documented where users find them, as
// those of pebbleext.Reader.
type Reader struct {
	store   Store
	options Options
	rule    *Rule
}

// New returns a Reader of a store that goes by a rule.
func New(store Store, rule *Rule, options Options) *Reader { return &Reader{store, options, rule} }

// Over returns a Reader of another state of the same store.
func (r *Reader) Over(store Store) *Reader { return New(store, r.rule, r.options) }

// Way tells the way of the next lookup, and why.
func (r *Reader) Way() string { return r.rule.String() }

// Get returns the value of a key, or Options.NotFound.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	if way := r.rule.way(); way == Get {
		value, closer, err = r.store.Get(key)
	} else {
		value, closer, err = r.getByIter(way, key)
	}
	switch err {
	case nil:
		r.found(key)
	case r.options.NotFound:
		r.missed(key)
	}
	return value, closer, err
}

func (r *Reader) getByIter(way Way, key []byte) ([]byte, io.Closer, error) {
	iter, err := r.store.NewIter(way, key)
	if err != nil {
		return nil, nil, err
	}
	if !r.seek(iter, key) {
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
func (r *Reader) Has(key []byte) (found bool, err error) {
	if way := r.rule.way(); way == Get {
		found, err = r.hasByGet(key)
	} else {
		found, err = r.hasByIter(way, key)
	}
	if err != nil {
		return found, err
	}
	if found {
		r.found(key)
	} else {
		r.missed(key)
	}
	return found, nil
}

func (r *Reader) hasByGet(key []byte) (bool, error) {
	_, closer, err := r.store.Get(key)
	switch err {
	case nil:
		return true, closer.Close()
	case r.options.NotFound:
		return false, nil
	}
	return false, err
}

func (r *Reader) hasByIter(way Way, key []byte) (bool, error) {
	iter, err := r.store.NewIter(way, key)
	if err != nil {
		return false, err
	}
	found := r.seek(iter, key)
	return found, iter.Close()
}

// seek reports whether the store has the key, and leaves the iterator on it.
// The iterator may stop at another key, hence the comparison.
func (r *Reader) seek(iter Iterator, key []byte) bool {
	return iter.Seek(key) && r.options.Compare(iter.Key(), key) == 0
}

// found counts a key that is there.
func (r *Reader) found(key []byte) { r.rule.misses.count(key, false) }

// missed counts a key that is absent, and tells of it.
func (r *Reader) missed(key []byte) {
	r.rule.misses.count(key, true)
	if r.options.Missed != nil {
		r.options.Missed(key)
	}
}
