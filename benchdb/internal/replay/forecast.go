package replay

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Forecast is what lookups are expected to read.
type Forecast struct {
	Workload string     `json:"workload"`
	Policy   string     `json:"policy"`
	Lookup   run.Lookup `json:"lookup"`
	// Way is that of the measured row, or if there is none, the one that reads
	// least.
	Way string `json:"way"`
	run.Cost
	// Measured is reads for each operation where the row was measured, nil
	// elsewhere.
	Measured *float64 `json:"measured"`
}

// filters are the table filters that a forecast expects.
type filters struct {
	own   bool                         // the tables' own; rates and bytes are not set
	rates [pebbleext.NumLevels]float64 // false-positive rates, 1 without filters
	bytes [pebbleext.NumLevels]float64 // for each key
}

// expected returns the filters that a copy has.
func (c Copy) expected() (f filters, err error) {
	if c.Policy.Text == AsItIs {
		return filters{own: true}, nil
	}
	var shape levelplan.Shape
	for level := range f.rates {
		f.rates[level] = 1
		l := levelplan.LevelShape{Level: level}
		for _, t := range c.tables {
			if t.level == level && t.keys() > 0 {
				l.Tables++
				l.Keys += t.keys()
			}
		}
		if l.Keys > 0 {
			shape.Levels = append(shape.Levels, l)
		}
	}
	plan := c.Policy.Plan
	plan.Index = 0 // draws of its own
	forecast, err := shape.Forecast(plan, levelplan.Reads{})
	for _, l := range forecast.Levels {
		f.rates[l.Level] = l.Rate
		f.bytes[l.Level] = float64(l.Bytes) / float64(l.Keys)
	}
	return f, err
}

// way is a way to look up a key.
type way struct {
	upper, lower bool // asks the table filters of L0 to L5, of L6
	index        bool // asks index filters
	stops        bool // at the first level that has the key
	passesGaps   bool // also looks into the table behind a gap between tables
}

// ways are those of a Reader, by their names.
var ways = map[string]way{
	"get":    {upper: true, stops: true},
	"tables": {upper: true, lower: true, passesGaps: true},
	"index":  {index: true},
}

// waysOf returns the names of the ways that a lookup may take. A Reader takes the
// best.
func waysOf(l run.Lookup) []string {
	switch l {
	case run.Get:
		return []string{"get"}
	case run.L6Filters:
		return []string{"tables"}
	}
	return slices.Sorted(maps.Keys(ways))
}

// Memory is what lookups have, in bytes.
type Memory struct {
	Cache   int64 // the block cache
	Filters int64 // resident filters, beside it
}

// Expect forecasts what lookups of a workload read. Of the ways with these names
// it takes the one that reads the fewest bytes, and returns its name too.
func (c Copy) Expect(w Workload, l run.Lookup, names []string, m Memory) (best run.Cost, name string, err error) {
	f, err := c.expected()
	if err != nil {
		return best, "", err
	}
	for _, n := range names {
		s := simulation{Copy: c, filters: f, way: ways[n], opened: map[int32]bool{}}
		if l == run.Resident && !s.way.stops {
			s.resident = s.choose(w, m.Filters)
		}
		s.cache = newCache(m.Cache-c.reserved, m.Cache/levelplan.CacheShard(m.Cache))
		if reads := s.run(w); name == "" || reads.Total.Bytes < best.Reads.Total.Bytes {
			best, name = run.Cost{Operations: len(w.Keys) - w.Warmup(), Reads: reads}, n
		}
	}
	return best, name, nil
}

// simulation is lookups with a cache.
type simulation struct {
	Copy
	filters
	way      way
	cache    cache
	resident map[int32]bool // tables whose filter is in memory
	opened   map[int32]bool
	reads    diskio.Counts
}

// opening is what Pebble reads when it first opens a table: its footer, the list
// of its blocks and its properties.
var opening = diskio.Count{Reads: 3, Bytes: 1 << 10}

// run looks the keys up, and returns the reads but for those of the warm-up.
func (s *simulation) run(w Workload) diskio.Counts {
	for n, key := range w.Keys {
		if n == w.Warmup() {
			s.reads = diskio.Counts{}
		}
		s.lookup(key)
	}
	s.reads.Total = s.reads.Sum()
	return s.reads
}

func (s *simulation) lookup(key int) {
	for _, v := range s.visits[key] {
		if !s.way.passesGaps && !v.overlaps {
			continue
		}
		t := &s.tables[v.table]
		if !s.opened[v.table] {
			s.opened[v.table] = true
			s.reads.Other = s.reads.Other.Add(opening)
		}
		denied := s.denies(t, &v, key)
		if denied && s.resident[v.table] {
			continue
		}
		index := s.index(t)
		s.read(&s.reads.Index, blockID{v.table, topIndexOffset}, index.top, index.top)
		if bytes := s.filterBytes(t); bytes > 0 && s.asks(t) {
			s.read(&s.reads.Filter, blockID{v.table, filterOffset}, bytes, bytes)
			if denied {
				continue
			}
		}
		if index.partitions > 1 && len(v.blocks) > 0 { // read after the table's filter
			n := v.blocks[0].offset * index.partitions / max(t.info.Properties.DataSize, 1)
			s.read(&s.reads.Index, blockID{v.table, topIndexOffset - 1 - n}, index.partition, index.partition)
		}
		if s.indexDenies(t, &v, key) {
			continue
		}
		for _, b := range v.blocks {
			s.read(&s.reads.Data, blockID{v.table, b.offset}, int64(b.size), inflated(t, b.size))
		}
		if v.has && s.way.stops {
			return
		}
	}
}

// Offsets of blocks that are none of data.
const (
	filterOffset   = math.MaxUint64 - iota
	topIndexOffset // of the index, or of its top level; those of partitions are below
)

// index is what a lookup reads of a table's index: its top, which is all of it
// unless it is in partitions, and one of those.
type index struct {
	top, partition int64
	partitions     uint64
}

func (s *simulation) index(t *table) index {
	p := t.info.Properties
	size, partitions := p.IndexSize-p.TopLevelIndexSize, max(p.IndexPartitions, 1)
	if bits := s.indexBits(t); bits != t.index {
		size = max(size+t.fingerprints(bits), t.fingerprints(t.index)) - t.fingerprints(t.index)
		partitions = max(size/s.partition[t.level], 1)
	}
	if partitions == 1 {
		return index{top: int64(size), partitions: 1}
	}
	return index{top: int64(p.TopLevelIndexSize), partition: int64(size / partitions), partitions: partitions}
}

// fingerprints is the size of index filters: 2 bits of a prefix beside those of
// its fingerprint.
func (t *table) fingerprints(bits int) uint64 {
	if bits == 0 {
		return 0
	}
	return uint64(t.keys()) * uint64(bits+2) / 8
}

// asks reports whether the table filters of a table's level are asked.
func (s *simulation) asks(t *table) bool {
	const last = pebbleext.NumLevels - 1
	return t.level < last && s.way.upper || t.level == last && s.way.lower
}

func (s *simulation) filterBytes(t *table) int64 {
	if s.own {
		return int64(len(t.filter))
	}
	return int64(s.bytes[t.level] * float64(t.keys()))
}

// denies reports whether a table's filter says that it lacks a key.
func (s *simulation) denies(t *table, v *visit, key int) bool {
	if s.own {
		return v.denied
	}
	return !v.sibling && s.draw(v, key, 0) >= s.rates[t.level]
}

// indexDenies reports whether the index filter of a data block says that it lacks
// a key.
func (s *simulation) indexDenies(t *table, v *visit, key int) bool {
	return s.way.index && !v.sibling && s.draw(v, key, 1) >= math.Exp2(-float64(s.indexBits(t)))
}

func (s *simulation) indexBits(t *table) int {
	if s.Store == nil {
		return s.Policy.Plan.Index
	}
	return t.index
}

// draw returns a number from 0 to 1, always the same for a table, a key and a
// kind of filter: its answer does not change.
func (s *simulation) draw(v *visit, key int, kind uint64) float64 {
	return float64(xxh3.HashSeed(s.keys[key], kind<<32|uint64(v.table))) / math.MaxUint64
}

// residentEntry is what a table takes of the memory of resident filters, whether
// its filter is there or not.
const residentEntry = 384

// choose returns the tables whose filters are in memory: the filters that deny
// most often for each of their bytes.
func (s *simulation) choose(w Workload, memory int64) map[int32]bool {
	saved := map[int32]float64{}
	for _, key := range w.Keys {
		for _, v := range s.visits[key] {
			if t := &s.tables[v.table]; s.filterBytes(t) > 0 && s.denies(t, &v, key) {
				saved[v.table] += 1 / float64(s.filterBytes(t))
			}
		}
	}
	chosen := map[int32]bool{}
	memory -= residentEntry * int64(len(s.tables))
	for _, table := range slices.SortedFunc(maps.Keys(saved), func(a, b int32) int {
		return cmp.Or(cmp.Compare(saved[b], saved[a]), cmp.Compare(a, b))
	}) {
		if bytes := s.filterBytes(&s.tables[table]); bytes <= memory {
			memory -= bytes
			chosen[table] = true
		}
	}
	return chosen
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
