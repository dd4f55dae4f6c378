package pointread

// Way is a way to look up a key.
type Way uint8

const (
	// Get is by pebble.DB.Get. It asks the table filters of L0 to L5, and stops
	// at the first level that has the key. Iterators look into all levels.
	Get Way = iota
	// Tables is by SeekPrefixGE, which asks the table filters of all levels.
	Tables
	// Index is by an iterator with bounds around the key. It asks index filters,
	// and no table filters but those in memory.
	Index
)

func (w Way) String() string { return [...]string{"get", "tables", "index"}[w] }
