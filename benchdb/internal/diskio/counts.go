package diskio

// Count is a number of reads and their bytes.
type Count struct {
	Reads int64 `json:"reads"`
	Bytes int64 `json:"bytes"`
}

// Add returns the sum of both counts.
func (c Count) Add(d Count) Count { return Count{c.Reads + d.Reads, c.Bytes + d.Bytes} }

// Blocks are reads by kind of block. Other is a table's footer, properties and
// directory, which are read when it is opened.
type Blocks struct {
	Data   Count `json:"data"`
	Index  Count `json:"index"`
	Filter Count `json:"filter"`
	Other  Count `json:"other"`
}

// of returns the count of a kind.
func (b *Blocks) of(k kind) *Count {
	return [...]*Count{dataBlock: &b.Data, indexBlock: &b.Index, filterBlock: &b.Filter, otherBlock: &b.Other}[k]
}

func (b Blocks) add(c Blocks) Blocks {
	return Blocks{b.Data.Add(c.Data), b.Index.Add(c.Index), b.Filter.Add(c.Filter), b.Other.Add(c.Other)}
}

// Sum returns the count of all kinds.
func (b Blocks) Sum() Count { return b.Data.Add(b.Index).Add(b.Filter).Add(b.Other) }

// Counts are reads of .sst files: those of operations, and those of compactions.
type Counts struct {
	Total Count `json:"total"`
	Blocks
	Compactions Count `json:"compactions"`
}

// Add returns the sum of both counts.
func (c Counts) Add(d Counts) Counts {
	return Counts{c.Total.Add(d.Total), c.add(d.Blocks), c.Compactions.Add(d.Compactions)}
}
