// Package pointread looks up keys of a Pebble store with the filters of all
// levels, L6 included, which pebble.DB.Get never asks. It imports no version of
// Pebble; packages pebbleext and pebblev1 bind it to theirs.
package pointread

import "io"

// Store is what a Reader reads: a pebble.Reader of some version.
type Store interface {
	// Get is that of the pebble.Reader.
	Get(key []byte) (value []byte, closer io.Closer, err error)
	// NewIter returns an iterator that asks the filters of L6, too.
	NewIter() (Iterator, error)
}

// Iterator is what a Reader uses of a *pebble.Iterator.
type Iterator interface {
	SeekPrefixGE(key []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// Options are what a Reader has to know of its store.
type Options struct {
	NotFound error // what Get returns for absent keys
	Compare  func(a, b []byte) int
	Equal    func(a, b []byte) bool
	// Missed, if not nil, is called for each key that is absent.
	Missed func(key []byte)
}
