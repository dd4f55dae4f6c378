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
	return &Reader{pointread.New(store{reader}, pointread.Options{
		NotFound: pebble.ErrNotFound,
		Compare:  comparer.Compare,
		Equal:    comparer.Equal,
		Ways:     ways,
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

// store is a pebble.Reader as package pointread reads it.
type store struct{ pebble.Reader }

// ways are those that need no bounds around the key.
var ways = []pointread.Way{pointread.ByTableFilters, pointread.ByUpperFilters, pointread.ByGet}

// NewIter implements pointread.Store.
func (s store) NewIter(way pointread.Way, _ []byte) (pointread.Iterator, error) {
	return opened(s.Reader.NewIter(options(way)))
}

// Pebble does not change options.
var upperFilters, tableFilters = pebble.IterOptions{}, pebble.IterOptions{UseL6Filters: true}

func options(way pointread.Way) *pebble.IterOptions {
	if way == pointread.ByTableFilters {
		return &tableFilters
	}
	return &upperFilters
}

func opened(iter *pebble.Iterator, err error) (pointread.Iterator, error) {
	if err != nil {
		return nil, err
	}
	return iterator{iter}, nil
}

// iterator is a pebble.Iterator as package pointread uses it.
type iterator struct{ *pebble.Iterator }

// Seek implements pointread.Iterator.
func (i iterator) Seek(key []byte) bool { return i.SeekPrefixGE(key) }

// BytesRead implements pointread.Iterator.
func (i iterator) BytesRead() uint64 {
	stats := i.Stats().InternalStats
	return stats.BlockBytes - stats.BlockBytesInCache
}

// Clone implements pointread.Iterator.
func (i iterator) Clone(way pointread.Way, _ []byte) (pointread.Iterator, error) {
	return opened(i.Iterator.Clone(pebble.CloneOptions{IterOptions: options(way)}))
}
