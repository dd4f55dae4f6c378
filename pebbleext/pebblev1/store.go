package pebblev1

import (
	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// store is a pebble.Reader as package pointread reads it.
type store struct {
	pebble.Reader
	rule *pointread.Rule
}

// State implements pointread.Store. The Get of an indexed batch shows what the
// store gets meanwhile.
func (s store) State() pointread.State {
	switch r := s.Reader.(type) {
	case *pebble.DB:
		return r.NewSnapshot()
	case *pebble.Snapshot:
		return leftOpen{r}
	case *pebble.EventuallyFileOnlySnapshot:
		return leftOpen{r}
	}
	return nil
}

// leftOpen is another's to close.
type leftOpen struct{ pebble.Reader }

// Close implements pointread.State.
func (leftOpen) Close() error { return nil }

// NewIter implements pointread.Store.
func (s store) NewIter(way pointread.Way, _ []byte) (pointread.Iterator, error) {
	iter, err := s.Reader.NewIter(&pebble.IterOptions{UseL6Filters: way == pointread.Tables})
	if err != nil {
		return nil, err
	}
	return iterator{iter, way}, nil
}

// iterator is a pebble.Iterator that looks up one key at a time.
type iterator struct {
	*pebble.Iterator
	way pointread.Way
}

// Seek implements pointread.Iterator.
func (i iterator) Seek(key []byte) bool {
	if i.way == pointread.Tables {
		return i.SeekPrefixGE(key)
	}
	return i.SeekGE(key)
}
