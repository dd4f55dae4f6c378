// Package pointread looks up keys of a Pebble store in the way that costs least:
// by pebble.DB.Get, or by an iterator, which can ask index filters and the
// filters of all levels, L6 included. It imports no version of Pebble; packages
// pebbleext and pebblev1 bind it to theirs.
package pointread

import "io"

// Store is what a Reader reads: a pebble.Reader of some version.
type Store interface {
	// Get is that of the pebble.Reader.
	Get(key []byte) (value []byte, closer io.Closer, err error)
	// NewIter returns an iterator that is to seek a key in a way.
	NewIter(way Way, key []byte) (Iterator, error)
}

// Iterator is what a Reader uses of a *pebble.Iterator.
type Iterator interface {
	// Seek moves to the first key from key on that has its prefix. The first one
	// is the key that the iterator was made for, others follow in key order.
	Seek(key []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	// BytesRead returns how many bytes of blocks were not in the block cache.
	BytesRead() uint64
	// Clone returns another iterator that sees the same state of the store.
	Clone(way Way, key []byte) (Iterator, error)
	Close() error
}

// Options are what a Reader has to know of its store.
type Options struct {
	NotFound error // what Get returns for absent keys
	Compare  func(a, b []byte) int
	// Ways are those that the store can be read in, in the order of trials. ByGet
	// comes after ByUpperFilters, which tells what it reads.
	Ways []Way
	// Resident tells that iterators ask filters in memory before all others. It
	// needs ByIndexFilters.
	Resident bool
	// Missed, if not nil, is called for each key that is absent.
	Missed func(key []byte)
}
