package pebbleext

import (
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
)

// indexFilter asks the index filters of a store until the store shows
// tables that may have a synthetic prefix.
type indexFilter struct {
	indexfilter.Filter
	guard *external.Guard
	off   bool // says "maybe" to all
}

// newIndexFilter returns nil if index filters must not be asked. The options are
// those that the store was opened with, or nil.
func newIndexFilter(db *pebble.DB, comparer *pebble.Comparer, opts *pebble.Options) *indexFilter {
	filter := &indexFilter{Filter: *indexfilter.NewFilter(comparer)}
	if !indexfilter.SyntheticPrefixes(db) {
		return filter
	}
	if opts == nil {
		return nil
	}
	var err error
	if filter.guard, err = external.Of(db, opts); err != nil || filter.guard.Seen() {
		return nil
	}
	levels, err := db.SSTables()
	if err != nil || slices.ContainsFunc(slices.Concat(levels...), external.MayRename) {
		return nil
	}
	return filter
}

// Intersects implements pebble.BlockPropertyFilter.
func (f *indexFilter) Intersects(property []byte) (bool, error) {
	if f.off || f.guard.Seen() {
		return true, nil
	}
	return f.Filter.Intersects(property)
}

// SyntheticSuffixIntersects implements pebble.BlockPropertyFilter.
func (f *indexFilter) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return f.Intersects(property)
}

// guarded asks another filter in the index, as long as indexFilter asks its own.
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
