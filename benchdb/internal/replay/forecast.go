package replay

import (
	"encoding/binary"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Forecast is what lookups are expected to read.
type Forecast struct {
	Workload string `json:"workload"`
	Policy   string `json:"policy"`
	Lookup   string `json:"lookup"`
	run.Cost
	// Measured is reads for each operation where the row was measured, nil
	// elsewhere.
	Measured *float64 `json:"measured"`
}

// AsItIs names the filters that a store has.
const AsItIs = "as it is"

// filters are those of each level, 1 being the rate of none.
type filters struct {
	own   bool // those that the tables have
	rates [pebbleext.NumLevels]float64
	bytes [pebbleext.NumLevels]float64 // for each key
	index float64                      // rate of index filters
}

// expected returns the filters that a policy would write.
func (o *Overlaps) expected(p policy.Policy) (f filters, err error) {
	if p.Text == AsItIs {
		return filters{own: true, index: 1}, nil
	}
	f.index = math.Exp2(-float64(p.Plan.Index))
	var shape levelplan.Shape
	for level := range f.rates {
		f.rates[level] = 1
		l := levelplan.LevelShape{Level: level}
		for _, t := range o.tables {
			if t.level == level && t.keys() > 0 {
				l.Tables++
				l.Keys += t.keys()
			}
		}
		if l.Keys > 0 {
			shape.Levels = append(shape.Levels, l)
		}
	}
	forecast, err := shape.Forecast(p.Plan, levelplan.Reads{})
	for _, l := range forecast.Levels {
		f.rates[l.Level] = l.Rate
		f.bytes[l.Level] = float64(l.Bytes) / float64(l.Keys)
	}
	return f, err
}

// way is a way to look up a key: which filters it asks, and whether it stops at
// the first level that has the key.
type way struct {
	stops, lower, index bool
}

// Lookups are the ways to look up a key.
var Lookups = []run.Lookup{run.Get, run.L6Filters, run.Reader}

// ways are those of a lookup. A Reader takes the one that costs least; what it
// spends to find out, 3 % of the time, no count of reads can tell.
func ways(l run.Lookup) []way {
	get := way{stops: true}
	switch l {
	case run.Get:
		return []way{get}
	case run.L6Filters:
		return []way{{lower: true}}
	}
	return []way{get, {lower: true}, {index: true}, {lower: true, index: true}}
}

// Forecast returns what lookups of some keys, by their positions, are expected
// to read after the first so many, with a block cache of a size.
func (o *Overlaps) Forecast(p policy.Policy, l run.Lookup, keys []int, warmup int, cacheSize int64) (run.Cost, error) {
	f, err := o.expected(p)
	if err != nil {
		return run.Cost{}, err
	}
	var best run.Cost
	for i, w := range ways(l) {
		s := simulation{Overlaps: o, filters: f, way: w, cache: newCache(cacheSize-o.reserved, cacheSize/levelplan.CacheShard(cacheSize))}
		for n, key := range keys {
			if n == warmup {
				s.reads = diskio.Counts{}
			}
			s.lookup(key)
		}
		for _, kind := range []diskio.Count{s.reads.Data, s.reads.Index, s.reads.Filter} {
			s.reads.Total = s.reads.Total.Add(kind)
		}
		if i == 0 || s.reads.Total.Bytes < best.Reads.Total.Bytes {
			best = run.Cost{Operations: len(keys) - warmup, Reads: s.reads}
		}
	}
	return best, nil
}

// simulation is lookups with a cache.
type simulation struct {
	*Overlaps
	filters
	way
	cache cache
	reads diskio.Counts
}

func (s *simulation) lookup(key int) {
	for _, v := range s.visits[key] {
		if s.stops && !v.overlaps {
			continue
		}
		t := &s.tables[v.table]
		s.ask(t, &v)
		if !s.passes(t, &v, key) {
			continue
		}
		for _, b := range v.blocks {
			s.read(&s.reads.Data, blockID{v.table, b.offset}, int64(b.size), inflated(t, b.size))
		}
		if v.has && s.stops {
			return
		}
	}
}

// Offsets of blocks that are none of data.
const (
	filterOffset = math.MaxUint64 - iota
	topIndexOffset
	indexOffset
)

// ask reads the index of a table and the filter that is to be asked.
func (s *simulation) ask(t *table, v *visit) {
	p := t.info.Properties
	partitions := max(p.IndexPartitions, 1)
	index := p.IndexSize / partitions
	if partitions > 1 {
		index = (p.IndexSize - p.TopLevelIndexSize) / partitions
		s.read(&s.reads.Index, blockID{v.table, topIndexOffset}, int64(p.TopLevelIndexSize), int64(p.TopLevelIndexSize))
	}
	if partition := v.blocks; len(partition) > 0 {
		n := partition[0].offset * partitions / max(p.DataSize, 1)
		s.read(&s.reads.Index, blockID{v.table, indexOffset - n}, int64(index), int64(index))
	}
	if bytes := s.filterBytes(t); bytes > 0 && s.asks(t) {
		s.read(&s.reads.Filter, blockID{v.table, filterOffset}, bytes, bytes)
	}
}

// asks reports whether the table filters of a table's level are asked.
func (s *simulation) asks(t *table) bool {
	const last = pebbleext.NumLevels - 1
	return t.level < last || s.lower
}

func (s *simulation) filterBytes(t *table) int64 {
	if s.own {
		return int64(len(t.filter))
	}
	return int64(s.bytes[t.level] * float64(t.keys()))
}

// passes reports whether a lookup goes on to the data block. Filters of a policy
// answer at their rate, and always the same to the same key.
func (s *simulation) passes(t *table, v *visit, key int) bool {
	if v.sibling {
		return true
	}
	if s.own {
		return !v.denied || !s.asks(t)
	}
	rate := 1.0
	if s.asks(t) {
		rate = s.rates[t.level]
	}
	if s.way.index {
		rate *= s.filters.index
	}
	seed := binary.LittleEndian.AppendUint32(nil, uint32(v.table))
	draw := xxh3.HashSeed(s.keys[key], xxh3.Hash(seed))
	return float64(draw) < rate*math.MaxUint64
}

func (s *simulation) read(count *diskio.Count, id blockID, size, inMemory int64) {
	if !s.cache.ask(id, inMemory) {
		*count = count.Add(diskio.Count{Reads: 1, Bytes: size})
	}
}

// inflated estimates what a block takes in the cache, which keeps it without its
// compression.
func inflated(t *table, size uint64) int64 {
	p := t.info.Properties
	return int64(float64(size) * max(1, float64(p.RawKeySize+p.RawValueSize)/float64(max(p.DataSize, 1))))
}
