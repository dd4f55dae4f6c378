package resident

import (
	"math"

	"github.com/cockroachdb/pebble/v2"
)

// memory is the block cache, of which filters take what is worth more to them
// than to blocks. Filters.mu guards it. Without a cache, a budget is set.
type memory struct {
	cache    *pebble.Cache
	release  func() // of what is reserved, nil for nothing
	reserved int64
	limit    int64 // of what filters may take
	full     bool  // the cache has evicted blocks

	last pebble.CacheMetrics // as far as they were counted
	// Hits for each byte age faster than the use of filters: none are missed. The
	// events by which both age tell how many more are in the latter.
	hits, events, recent float64
	climb                climb
}

const (
	// blockShare of the memory that blocks and filters take is left to blocks.
	blockShare = 1. / 8
	// lastByte is what the last byte of the cache is worth, of its average. With
	// 4M records of 64 bytes in four levels, reads a lookup where all, half and a
	// tenth of the keys are absent, for caches of 2, 4 and 8 MiB:
	//
	//	1/16    –  1.33 1.91     –   0.81 1.16     –   0.51 0.91
	//	1/8   0.57 1.37 1.89   0.042 0.75 1.02   0.007 0.52 0.93
	//	1/4   0.58 1.45 2.21   0.042 0.69 1.05   0.007 0.54 0.95
	//	1/2   0.86 1.78 1.95   0.085 0.74 1.13   0.014 0.57 1.00
	//	1     1.76 1.91 2.01   0.219 0.90 1.24   0.042 0.65 1.08
	lastByte = 1. / 8
	// agesFaster is how much faster the cache's hits age than the use of filters.
	// What filters save are hits, so the price falls as they grow. 3M keys in 6
	// MiB, from all there to all absent, reads in each 50,000 lookups:
	//
	//	1	0.145 0.140 0.052 0.051 0.050 0.018 0.014 0.008
	//	4	0.121 0.043 0.022 0.012 0.006 0.006 0.004 0.003
	//	8	0.094 0.023 0.007 0.007 0.003 0.002 0.002 0.003
	agesFaster = 8
	// nearlyFull is the share of the cache up to which filters take room for nothing.
	// Without it a store in object storage, opened anew with saved filters, takes
	// 0.088 requests for an absent key and not 0.029 (benchdb run --remote local).
	nearlyFull = 3. / 4
	// fewBlocks may leave the cache without a sign that it is full.
	fewBlocks = 16
	// reserveStep of the cache is how finely memory is reserved.
	reserveStep = 1. / 64
)

// shareCache gets the memory that filters may take off a cache. The machine gives
// it as it is written.
func (f *Filters) shareCache(cache *pebble.Cache) error {
	size := int((1 - blockShare) * float64(cache.MaxSize()))
	if err := f.mu.arena.resize(size); err != nil {
		return err
	}
	cache.Ref()
	f.mu.memory = memory{cache: cache, limit: int64(size), last: cache.Metrics()}
	return nil
}

// allow lets filters take n bytes more, up to the limit, where they take them
// off the cache.
func (f *Filters) allow(n int) {
	if n > 0 {
		f.mu.budget = max(f.mu.budget, min(f.mu.budget+int64(n), f.mu.memory.limit))
	}
}

// divide finds how much memory filters take: a byte goes where it saves more
// reads, so filters get bits at the price of a byte of the cache. On average that
// saves the cache's hits by its size; the last byte less, which is guessed and then
// corrected by what comes of it. Filters get memory at once, and those that nobody
// asks any more lose it as fast as counts age: without reads all stays as it is.
func (f *Filters) divide(factor float64) {
	m := &f.mu.memory
	metrics := m.cache.Metrics()
	size := max(metrics.Size, m.cache.MaxSize()/16)
	events, fast := float64(f.mu.asked)+m.accesses(), math.Pow(factor, agesFaster)
	m.hits = m.hits*fast + float64(metrics.Hits-m.last.Hits)/float64(size)
	m.recent = m.recent*fast + events
	m.events = m.events*factor + events
	if came, stayed := metrics.Misses-m.last.Misses, metrics.Count-m.last.Count; came > 2*stayed+fewBlocks {
		// Also of memtables and of what other stores take.
		m.full = true
		m.limit = max(int64((1-blockShare)*float64(metrics.Size+m.reserved)), m.cache.MaxSize()/16)
	}
	if f.answering.Load() {
		m.climb.count(f.mu.asked, uint64(metrics.Misses-m.last.Misses), -math.Log2(factor))
	} else {
		m.climb = climb{} // what comes of other filters must not tell
	}
	m.last = metrics
	known := int64(filterBytes * f.directory.count)
	f.mu.price = max(math.Log2(lastByte*m.hits*m.events/max(m.recent, 1))+m.climb.correction, lowestPrice)
	if !m.full && metrics.Size+m.reserved < int64(nearlyFull*float64(m.cache.MaxSize())) {
		f.mu.price = lowestPrice
	}
	bids := f.allBids()
	f.mu.price = priceFor(bids, float64(m.limit-known), f.mu.price)
	pays := known + int64(total(bids, f.mu.price))
	if over := f.mu.budget - pays; over > 0 {
		f.mu.budget = max(pays, f.mu.budget-int64(math.Ceil(float64(over)*(1-factor))))
	} else {
		f.mu.budget = pays
	}
	f.mu.budget = min(f.mu.budget, max(m.limit, known))
	f.cutSpare()
	f.makeRoom(0)
	f.mu.arena.trim()
	f.reserve()
}

// accesses returns how often the cache was asked since it was last looked at.
func (m *memory) accesses() float64 {
	if m.cache == nil {
		return 0
	}
	metrics := m.cache.Metrics()
	return float64(metrics.Hits - m.last.Hits + metrics.Misses - m.last.Misses)
}

// cutSpare makes filters give up bits that do not pay, but for those that nobody
// asks for keys which are not there: they leave as the budget shrinks.
func (f *Filters) cutSpare() {
	for _, e := range f.mu.arena.blocks {
		if wanted := f.wantedBits(e); e.mu.most > 0 && wanted > 0 && e.mu.bits > wanted+spareBits {
			f.cut(e, wanted)
		}
	}
}

// reserve takes off the cache what filters take.
func (f *Filters) reserve() {
	m := &f.mu.memory
	if m.cache == nil {
		return
	}
	step := max(int64(reserveStep*float64(m.cache.MaxSize())), 1)
	var taken int64 // nothing for what finds filters while none is in memory
	if n := len(f.mu.arena.blocks); n > 0 {
		taken = (int64(f.mu.arena.end(n-1)+filterBytes*f.directory.count) + step - 1) / step * step
	}
	if taken == m.reserved {
		return
	}
	if m.release != nil {
		m.release() // first: to have both would evict blocks for nothing
	}
	m.release, m.reserved = nil, taken
	if taken > 0 {
		m.release = m.cache.Reserve(int(taken))
	}
}

// leaveCache gives back what is reserved, and the cache.
func (f *Filters) leaveCache() {
	m := &f.mu.memory
	if m.cache == nil {
		return
	}
	if m.release != nil {
		m.release()
	}
	m.cache.Unref()
	f.mu.memory = memory{}
}
