package pointread

// Way is a way to look up a key. Each asks the filters that it names and no
// others.
type Way uint8

const (
	// ByGet is by pebble.DB.Get. It asks the table filters of L0 to L5, and
	// stops at the first level that has the key. Iterators look into all levels.
	ByGet Way = iota
	// ByIndexFilters is by an iterator with bounds around the key, and SeekGE.
	ByIndexFilters
	// ByUpperFilters is by SeekPrefixGE with index filters and the table filters
	// of L0 to L5.
	ByUpperFilters
	// ByTableFilters is by SeekPrefixGE with the table filters of all levels.
	ByTableFilters
	// HalfByUpperFilters and HalfByTableFilters are these ways for keys up to the
	// middle one of those that are asked for, and ByIndexFilters for others: table
	// filters of half of a store may fit in a block cache that those of all do
	// not fit in.
	HalfByUpperFilters
	HalfByTableFilters

	numWays
)

// WaysOf returns those that a store can be read in, in the order of trials. Index
// filters need bounds around a key.
func WaysOf(bounded bool) []Way {
	if !bounded {
		return []Way{ByTableFilters, ByUpperFilters, ByGet}
	}
	return []Way{ByTableFilters, ByIndexFilters, ByUpperFilters, ByGet, HalfByUpperFilters, HalfByTableFilters}
}

func (w Way) isHalf() bool { return w == HalfByUpperFilters || w == HalfByTableFilters }

// half returns the way for keys of one of the halves.
func (w Way) half(lower bool) Way {
	switch {
	case !lower:
		return ByIndexFilters
	case w == HalfByUpperFilters:
		return ByUpperFilters
	default:
		return ByTableFilters
	}
}
