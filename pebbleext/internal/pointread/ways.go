package pointread

import "fmt"

// Way is a way to look up a key. Each asks the filters that it names and no
// others.
type Way uint8

const (
	// ByGet is by pebble.DB.Get. It asks the table filters of L0 to L5, and
	// stops at the first level that has the key. Iterators look into all levels.
	ByGet Way = iota
	// ByTableFilters is by SeekPrefixGE with the table filters of all levels.
	ByTableFilters
	// ByIndexFilters is by an iterator with bounds around the key, and SeekGE.
	ByIndexFilters
	// ByUpperFilters is by SeekPrefixGE with index filters and the table filters
	// of L0 to L5.
	ByUpperFilters = ByIndexFilters + parts
	// HalfByUpperFilters is halfway between both: by upper filters for the lower
	// half of the keys that are asked for, and ByIndexFilters for the others. The
	// ways around it are for more of the keys or for less. Filters of a part of
	// the tables may fit in a block cache that all do not fit in.
	HalfByUpperFilters = ByIndexFilters + parts/2

	numWays = ByUpperFilters + 1
)

// parts are the steps from no upper filters to all. With 4M records of 64 bytes,
// a block cache for 0.4 of their filters, and no index filters, a lookup of an
// absent key reads, as a ratio to one without filters, 0.69 of the bytes where
// half of the keys are asked for by upper filters, 0.53 where six parts are, 1.12
// with seven and 1.42 with all. Filters of L6 read more than none for any part of
// the keys until all of them fit.
const parts = 8

// WaysOf returns those that a store can be read in, in the order of trials. Index
// filters need bounds around a key.
func WaysOf(bounded bool) []Way {
	if !bounded {
		return []Way{ByTableFilters, ByUpperFilters, ByGet}
	}
	return []Way{ByTableFilters, ByIndexFilters, ByUpperFilters, ByGet, HalfByUpperFilters}
}

// isPart reports whether a way is another for some keys than for others.
func (w Way) isPart() bool { return ByIndexFilters < w && w < ByUpperFilters }

// String names the filters that a way asks.
func (w Way) String() string {
	switch w {
	case ByGet:
		return "Get"
	case ByTableFilters:
		return "tables"
	case ByIndexFilters:
		return "index"
	case ByUpperFilters:
		return "upper+index"
	}
	return fmt.Sprintf("%d/%d of upper+index", w-ByIndexFilters, parts)
}
