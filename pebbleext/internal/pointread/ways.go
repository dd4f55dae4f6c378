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

	numWays
)
