// Package pointread looks up keys of a Pebble store by a rule: by
// pebble.DB.Get, or by an iterator, which can ask the filters of all levels, L6
// included, index filters, and filters in memory. It imports no version of
// Pebble; packages pebbleext and pebblev1 bind it to theirs.
package pointread

import "io"

// Getter is what a Reader uses of a pebble.Reader.
type Getter interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
}

// Store is what a Reader reads: a pebble.Reader of some version.
type Store interface {
	Getter
	// State returns the state of now, to be closed, or nil if nothing but an
	// iterator can hold one.
	State() State
	// NewIter returns an iterator that is to seek a key, by Tables or Index.
	NewIter(way Way, key []byte) (Iterator, error)
}

// State is a state of a store, which later writes do not change.
type State interface {
	Getter
	io.Closer
}

// Iterator is what a Reader uses of a *pebble.Iterator.
type Iterator interface {
	// Seek moves to the first key from key on that has its prefix, or to a later
	// one. The first key sought is that which the iterator was made for, others
	// follow in key order.
	Seek(key []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// Options are what a Reader has to know of its store.
type Options struct {
	NotFound error // what Get returns for absent keys
	Compare  func(a, b []byte) int
	// Missed, if not nil, is called for each key that is absent.
	Missed func(key []byte)
}
