package pebblev1

import (
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// Reader looks up keys with the filters of all levels, L6 included, which
// pebble.DB.Get never asks. It answers, fails and costs as the Reader of package
// pebbleext does over version 2, by the same rule, and is as safe for concurrent
// use.
type Reader struct {
	core  *pointread.Reader
	store store
	setup *Setup // nil for a Reader of Over
}

// NewReader returns the Reader of a store that was opened with the options after
// Apply. Close it before the store. It fails if there is a Reader already, or if
// the comparer has no Split, without which iterators ask no filters.
func (s *Setup) NewReader(db *pebble.DB) (*Reader, error) {
	comparer := s.opts.Comparer
	if comparer.Split == nil {
		return nil, fmt.Errorf("comparer %q has no Split; open the store with the comparer that pebblev1.Apply sets", comparer.Name)
	}
	st := store{db, pointread.NewRule()}
	if t := newTables(st, db, s.opts); !s.tables.CompareAndSwap(nil, t) {
		return nil, errors.New("a setup is for one Reader; call pebblev1.Apply for each store")
	}
	core := pointread.New(st, st.rule, pointread.Options{NotFound: pebble.ErrNotFound, Compare: comparer.Compare})
	return &Reader{core, st, s}, nil
}

// Over returns a Reader over a snapshot or an indexed batch of the same store. It
// costs next to nothing.
func (r *Reader) Over(reader pebble.Reader) *Reader {
	s := r.store
	s.Reader = reader
	return &Reader{r.core.Over(s), s, nil}
}

// Close ends what the Reader does in the background. A Reader of Over has nothing
// to close.
func (r *Reader) Close() error {
	if r.setup != nil {
		r.setup.tables.Load().background.Close()
	}
	return nil
}

// Way tells in which way Get looks up the next key, and why, for logs.
func (r *Reader) Way() string { return r.core.Way() }

// Get returns the value of a key, or pebble.ErrNotFound. The caller must not
// modify the value, which stays valid until closer is closed, and must close
// closer if err is nil.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	return r.core.Get(key)
}

// Has reports whether a key is present.
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
