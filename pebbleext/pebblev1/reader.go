package pebblev1

import (
	"fmt"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// Reader looks up keys with the filters of all levels, L6 included, which
// pebble.DB.Get never asks: with Get, Has, and GetMany and HasMany for many
// keys at a time.
type Reader = pointread.Reader[*pebble.Iterator, pebble.IterOptions]

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
	return pointread.New(reader, pointread.Version[pebble.IterOptions]{
		Options:  pebble.IterOptions{UseL6Filters: true},
		NotFound: pebble.ErrNotFound,
		Compare:  comparer.Compare,
		Equal:    comparer.Equal,
	}), nil
}
