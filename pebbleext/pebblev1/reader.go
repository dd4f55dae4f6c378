package pebblev1

import (
	"fmt"
	"io"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// Reader looks up keys with the filters of all levels, L6 included, which
// pebble.DB.Get never asks. It answers, fails and costs as the Reader of package
// pebbleext does over version 2, and is as safe for concurrent use.
type Reader struct{ core *pointread.Reader }

// NewReader returns a Reader over a DB, a snapshot or an indexed batch. The
// comparer is the one that the store was opened with, Options.Comparer. It is
// an error if it has no Split, without which iterators ask no filters; Apply
// provides one.
func NewReader(reader pebble.Reader, comparer *pebble.Comparer) (*Reader, error) {
	if comparer == nil {
		comparer = pebble.DefaultComparer
	}
	if comparer.Split == nil {
		return nil, fmt.Errorf("comparer %q has no Split; open the store with the comparer that pebblev1.Apply sets", comparer.Name)
	}
	s := store{reader, comparer}
	return &Reader{pointread.New(s, pointread.Options{
		NotFound: pebble.ErrNotFound,
		Compare:  comparer.Compare,
		Ways:     pointread.WaysOf(s.bounded()),
	})}, nil
}

// Get returns the value of a key, or pebble.ErrNotFound. The caller must not
// modify the value, which stays valid until closer is closed, and must close
// closer if err is nil.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	return r.core.Get(key)
}

// Has reports whether a key is present, and reads no value if it can.
func (r *Reader) Has(key []byte) (bool, error) { return r.core.Has(key) }

// GetMany looks up many keys, in one state of the store and in key order, and
// calls found with the index and the value of each that is present. The value is
// valid during the call only. An error of found ends the lookups and is
// returned.
func (r *Reader) GetMany(keys [][]byte, found func(i int, value []byte) error) error {
	return r.core.GetMany(keys, found)
}

// HasMany calls found with the index of each key that is present.
func (r *Reader) HasMany(keys [][]byte, found func(i int)) error {
	return r.core.HasMany(keys, found)
}
