// Package pointread looks up keys of a Pebble store with the filters of all
// levels, L6 included, which pebble.DB.Get never asks. It imports no version of
// Pebble; a package for one binds it to that version's types, as pebblev1 does.
package pointread

import "io"

// Store is what a Reader takes of a pebble.Reader, whose iterators are I and
// their options O.
type Store[I Iterator, O any] interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
	NewIter(options *O) (I, error)
}

// Iterator is what a Reader takes of a *pebble.Iterator.
type Iterator interface {
	SeekPrefixGE(key []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// Version is what a Reader has to know of its store and version of Pebble.
type Version[O any] struct {
	Options  O     // of iterators, with UseL6Filters set
	NotFound error // what Get returns for absent keys
	Compare  func(a, b []byte) int
	Equal    func(a, b []byte) bool

	// Watch, if not nil, is called before each lookup and may return what to
	// call after it, with whether it came across a key of the same prefix.
	Watch func(key []byte) func(prefixFound bool, err error)
	// Missed, if not nil, is called for each key that is absent.
	Missed func(key []byte)
}
