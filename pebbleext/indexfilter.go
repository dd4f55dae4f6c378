package pebbleext

import (
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
)

// newIndexFilter returns a filter that asks the index filters of a store, and a
// guard that says when it must not be asked any more. The filter is nil if it must
// never be. The options are those that the store was opened with, after Apply.
func newIndexFilter(db *pebble.DB, opts *pebble.Options) (*indexfilter.Filter, *external.Guard, error) {
	guard, err := external.Of(db, opts)
	if err != nil || guard.Seen() {
		return nil, nil, err
	}
	if guard != nil {
		levels, err := db.SSTables()
		if err != nil || slices.ContainsFunc(slices.Concat(levels...), external.MayRename) {
			return nil, nil, err
		}
	}
	return indexfilter.NewFilter(opts.Comparer), guard, nil
}

// guarded asks a filter in the index until the store shows tables that may have a
// synthetic prefix.
type guarded struct {
	pebble.BlockPropertyFilter
	guard *external.Guard
}

// Intersects implements pebble.BlockPropertyFilter.
func (f guarded) Intersects(property []byte) (bool, error) {
	if f.guard.Seen() {
		return true, nil
	}
	return f.BlockPropertyFilter.Intersects(property)
}

// SyntheticSuffixIntersects implements pebble.BlockPropertyFilter.
func (f guarded) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return f.Intersects(property)
}
