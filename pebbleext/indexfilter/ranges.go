package indexfilter

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter/keyrange"
)

// RangeCollector is Collector for range filters of so many bits for each key. Of
// empty ranges that begin and end anywhere, about 2^(1-bits) pass one data
// block's filter. It panics if bits are not from MinBits to MaxBits.
//
// The comparer must order prefixes by their bytes, as pebble.Comparer asks for.
func RangeCollector(comparer *pebble.Comparer, bits int) func() pebble.BlockPropertyCollector {
	if bits < keyrange.MinBits || bits > keyrange.MaxBits {
		panic(fmt.Sprintf("indexfilter: %d bits of a range filter; %d to %d are right", bits, keyrange.MinBits, keyrange.MaxBits))
	}
	comparer = comparer.EnsureDefaults()
	name, split := RangePropertyName(comparer), splitOf(comparer)
	return func() pebble.BlockPropertyCollector {
		return &collector{name: name, prefix: split, bits: bits, block: keyrange.NewBuilder(bits)}
	}
}

// RangeFilter asks the range filters of a store for one range at a time. It is
// a pebble.BlockPropertyFilter for pebble.IterOptions.PointKeyFilters of one
// iterator, whose bounds the range must cover. Where the bounds move backwards,
// set no other bounds in between: Pebble would go on from a place after blocks
// that it has skipped for the old range.
type RangeFilter struct {
	name  string
	split pebble.Split
	keys  keyrange.Range // of prefixes
}

var _ pebble.BlockPropertyFilter = (*RangeFilter)(nil)

// NewRangeFilter returns a RangeFilter of all keys for stores of a comparer;
// nil means pebble.DefaultComparer.
func NewRangeFilter(comparer *pebble.Comparer) *RangeFilter {
	comparer = comparer.EnsureDefaults()
	return &RangeFilter{name: RangePropertyName(comparer), split: comparer.Split}
}

// SetRange makes the filter ask for the keys from lower on that are less than
// upper. Nil is the end of all keys. It copies both.
func (f *RangeFilter) SetRange(lower, upper []byte) {
	f.keys = keyrange.Range{}
	if lower != nil {
		f.keys.Lower = bytes.Clone(lower[:f.split(lower)])
	}
	if upper == nil {
		return
	}
	prefix := f.split(upper)
	f.keys.Upper = bytes.Clone(upper[:prefix])
	if prefix < len(upper) { // keys of that prefix may be less
		f.keys.Upper = append(f.keys.Upper, 0)
	}
}

// Name implements pebble.BlockPropertyFilter.
func (f *RangeFilter) Name() string { return f.name }

// Intersects reports whether the block of a property may hold a key of the
// range.
func (f *RangeFilter) Intersects(property []byte) (bool, error) {
	return keyrange.MayContain(property, f.keys), nil
}

// SyntheticSuffixIntersects is Intersects: a suffix leaves prefixes as they
// are.
func (f *RangeFilter) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return f.Intersects(property)
}
