package diskio

// Levels is the number of levels of Pebble's LSM.
const Levels = 7

// Kind is the kind of block that a read asks for.
type Kind uint8

// The kinds of blocks. Other blocks are a table's footer, properties and
// directory, read when it is opened.
const (
	Data Kind = iota
	Index
	Filter
	Other
	Kinds
)

// String returns the kind's name.
func (k Kind) String() string { return [Kinds]string{"data", "index", "filter", "other"}[k] }

// Count is a number of reads and their bytes.
type Count struct {
	Reads int64 `json:"reads"`
	Bytes int64 `json:"bytes"`
}

// Add returns the sum of both counts.
func (c Count) Add(d Count) Count { return Count{c.Reads + d.Reads, c.Bytes + d.Bytes} }

func (c Count) sub(d Count) Count { return Count{c.Reads - d.Reads, c.Bytes - d.Bytes} }

// Counts are the reads of .sst files since a file system was made.
type Counts struct {
	// Blocks are the reads of operations, by level and kind of block.
	Blocks [Levels][Kinds]Count
	// Compactions are the reads of compactions.
	Compactions Count
}

// Sub returns the reads since an earlier state.
func (c Counts) Sub(earlier Counts) Counts {
	for level := range c.Blocks {
		for kind := range c.Blocks[level] {
			c.Blocks[level][kind] = c.Blocks[level][kind].sub(earlier.Blocks[level][kind])
		}
	}
	c.Compactions = c.Compactions.sub(earlier.Compactions)
	return c
}

// Of returns the operations' reads of one kind of block on all levels.
func (c Counts) Of(kind Kind) Count {
	var sum Count
	for level := range c.Blocks {
		sum = sum.Add(c.Blocks[level][kind])
	}
	return sum
}

// Total returns the operations' reads of all kinds on all levels.
func (c Counts) Total() Count {
	var sum Count
	for kind := range Kinds {
		sum = sum.Add(c.Of(kind))
	}
	return sum
}
