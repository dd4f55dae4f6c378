package levelplan

import (
	"errors"
	"math"
	"runtime"

	"github.com/gravelkv/gravel/pebbleext"
)

// Memory is what a store has for blocks and filters.
type Memory struct {
	// Cache is the bytes of the block cache, for data, indexes and filter
	// blocks that are not resident. It is less than the cache's size by what
	// Pebble takes for the memtable, 256 KiB up to Options.MemTableSize.
	Cache int64
	// Resident says that table filters are in memory of their own, outside of
	// the cache, and answer before anything of a table is read.
	Resident bool
}

// CacheShard is the size of one shard of a block cache of so many bytes. A block
// that is larger cannot stay cached. The cache has four shards for each
// processor, here as many as this process has, but only four in all while a
// shard would be below 4 MiB.
func CacheShard(cache int64) int64 {
	shards := int64(4 * runtime.GOMAXPROCS(0))
	if cache/shards < 4<<20 {
		shards = 4
	}
	return cache / shards
}

// Filters are those of the levels of a store.
type Filters [pebbleext.NumLevels]LevelFilters

// LevelFilters are those of one level.
type LevelFilters struct {
	Block float64 // bytes of the filter block of one table
	Rate  float64 // false-positive rate of table filters, 1 for none
	Index float64 // that of index filters, 1 for none
	// IndexBits is the bits of a fingerprint of index filters, 0 for none. They
	// make the index larger.
	IndexBits int
}

// rate is that of the filters that lookups ask.
func (l LevelFilters) rate(reads Reads) float64 {
	if reads.Get {
		return l.Rate
	}
	return l.Rate * l.Index
}

// Filters returns those that a plan writes, once compactions have brought it to
// all tables.
func (s Shape) Filters(plan pebbleext.Plan) (f Filters) {
	for _, g := range s.groups(Reads{}) {
		l := &f[g.level]
		l.Block, l.Rate = expectedFilter(plan.Levels[g.level], g.tableKeys())
		l.Index = 1
		if plan.Index > 0 {
			l.Index, l.IndexBits = math.Exp2(-float64(plan.Index)), plan.Index
		}
	}
	return f
}

// DiskReads is what one lookup reads below the block cache.
type DiskReads struct {
	Reads float64 `json:"reads"`
	Bytes float64 `json:"bytes"`
}

// price weighs 4 KiB as much as a read.
func (r DiskReads) price() float64 { return r.Reads + r.Bytes/4096 }

func (r *DiskReads) add(o DiskReads, times float64) {
	r.Reads += o.Reads * times
	r.Bytes += o.Bytes * times
}

// DiskReads returns what lookups of an absent and of a present key read, in a
// cache that lookups as in reads have filled.
//
// # Model
//
// A lookup visits level l with probability aₗ without finding its key there,
// and with hₗ it does. Each visit needs the table's first index block, a second
// one, a data block, and the filter block, in numbers of
//
//	                      first index   filter    second index   data
//	no filters            a + h         -         a + h          a + h
//	table filters         a + h         a + h     a·f + h        a·f·g + h
//	resident filters      a·f + h       -         a·f + h        a·f·g + h
//
// where f is the rate of table filters and g that of index filters, both 1
// without. A table with one index block has no second. The keys asked for are
// uniform: of n blocks, of s bytes each, of which a lookup needs x, one is
// needed x/n times a lookup, and the cache has it with probability
//
//	c = 1 - exp(-(x/n·T)²)
//
// where T, the same for all blocks, is such that the cache is full: Σ n·s·c is
// its size. With an exponent of 1 that is a cache of the blocks needed last
// (Che, Tung and Wang, "Hierarchical Web Caching Systems", 2002), and with a
// large one a cache of those needed most often. Pebble's, CLOCK-Pro, lies
// between; 2 fits what was counted (TestDiskReads): of 20 figures above 0.1
// reads all are within 15 %, and 18 within 5 %. It is too low where the cache
// has just enough room for filters and indexes.
//
// Keys that are asked for more often than others make a cache do better.
func (s Shape) DiskReads(f Filters, reads Reads, m Memory) (absent, present DiskReads, err error) {
	if err := s.validate(); err != nil {
		return absent, present, err
	}
	if m.Cache < 0 {
		return absent, present, errors.New("a cache has 0 bytes or more")
	}
	var kinds []blocks
	for _, v := range s.visits(reads) {
		kinds = append(kinds, v.blocks(f[v.level.Level], m.Resident, reads)...)
	}
	for _, k := range m.notCached(kinds, reads.Present) {
		absent.add(k.read(), k.absent)
		present.add(k.read(), k.present)
	}
	return absent, present, nil
}

// visit is how often lookups visit a level, or a sublevel of L0.
type visit struct {
	level LevelShape
	// absent and present are how often a lookup of such a key does not find it
	// there, hit how often one of a present key does.
	absent, present, hit float64
}

func (s Shape) visits(reads Reads) (visits []visit) {
	all, above := float64(s.keys()), 0.0
	for _, l := range s.Levels {
		share := float64(l.Keys) / all
		v := visit{level: l, absent: l.coverage(), hit: share}
		others := 1 - share // an iterator visits all levels
		if reads.Get {
			others -= above // stops where it finds the key
		}
		above += share
		v.present = v.absent * others
		visits = append(visits, v)
	}
	return visits
}

// blocks are the blocks of one kind in a level.
type blocks struct {
	number, size    float64
	absent, present float64 // how often a lookup of such a key needs one
}

func (v visit) blocks(f LevelFilters, resident bool, reads Reads) []blocks {
	if reads.Get {
		f.Index = 1
		if v.level.Level == pebbleext.NumLevels-1 {
			f.Rate = 1
		}
	}
	opened := 1.0
	if resident {
		opened = f.Rate
	}
	tables, b := float64(max(v.level.Tables, 1)), v.level.blocks()
	data := float64(b.Data)
	indexBytes := float64(b.IndexBytes) + data*indexFilterBytes(float64(v.level.Keys)/data, f.IndexBits)
	index := float64(b.Index)
	if f.IndexBits > 0 {
		index = tables * math.Ceil(indexBytes/tables/max(indexBlock, float64(b.IndexBytes)/index))
	}
	need := func(number, bytes, rate float64) blocks {
		return blocks{number, bytes / number, v.absent * rate, v.present*rate + v.hit}
	}
	kinds := []blocks{need(data, float64(b.DataBytes), f.Rate*f.Index)}
	if index > tables {
		kinds = append(kinds, need(index, indexBytes, f.Rate), need(tables, index*indexEntry, opened))
	} else {
		kinds = append(kinds, need(tables, indexBytes, opened))
	}
	if f.Rate < 1 && !resident {
		kinds = append(kinds, need(tables, tables*f.Block, 1))
	}
	return kinds
}

// Pebble's defaults, for shapes that do not tell their blocks, and what an
// entry of an index takes.
const (
	dataBlock, indexBlock = 4096, 4096
	recordBytes           = 100
	indexEntry            = 32
)

// blocks are the level's, or those of records of usual size.
func (l LevelShape) blocks() Blocks {
	if l.Blocks != (Blocks{}) {
		return l.Blocks
	}
	tables := int64(max(l.Tables, 1))
	b := Blocks{DataBytes: l.Keys * recordBytes}
	b.Data = max(tables, b.DataBytes/dataBlock)
	b.IndexBytes = b.Data * indexEntry
	b.Index = max(tables, b.IndexBytes/indexBlock)
	return b
}

// indexFilterBytes is what the filter of a data block of so many keys takes in
// the index: a header, the fingerprints with a spare one or two, and Pebble's own
// three bytes.
func indexFilterBytes(keys float64, bits int) float64 {
	if bits == 0 {
		return 0
	}
	return 2 + (keys+1.5)*float64(bits)/8 + 3
}

// read is the read of one block.
func (b blocks) read() DiskReads { return DiskReads{1, b.size} }

// blockOverhead is what Pebble keeps in the cache with each block.
const blockOverhead = 336

// notCached returns the needs of blocks that the cache does not have.
func (m Memory) notCached(kinds []blocks, sharePresent float64) (missed []blocks) {
	low, high := 0.0, 1.0 // bounds of T
	for m.fits(kinds, sharePresent, high) && high < longestAge {
		low, high = high, 2*high
	}
	for range 50 {
		if middle := (low + high) / 2; m.fits(kinds, sharePresent, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	for _, b := range kinds {
		rate := b.missRate(low, sharePresent, m)
		b.absent *= rate
		b.present *= rate
		missed = append(missed, b)
	}
	return missed
}

// longestAge is a T for which a cache has all that is ever needed.
const longestAge = 1e18

// fits reports whether the cache has room for what it has at a T.
func (m Memory) fits(kinds []blocks, sharePresent, age float64) bool {
	bytes := 0.0
	for _, b := range kinds {
		bytes += b.number * (b.size + blockOverhead) * (1 - b.missRate(age, sharePresent, m))
	}
	return bytes <= float64(m.Cache)
}

// missRate is the 1 - c of the model.
func (b blocks) missRate(age, sharePresent float64, m Memory) float64 {
	if b.size > float64(CacheShard(m.Cache)) {
		return 1
	}
	needed := ((1-sharePresent)*b.absent + sharePresent*b.present) / b.number
	return math.Exp(-math.Pow(needed*age, 2))
}
