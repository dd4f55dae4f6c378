package pointread

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
)

// A chooser picks the way of each lookup by what lookups have cost. Most go the
// best way, which was the cheapest, and one in samplingRate of those is
// measured. Now and then another way is tried for a row of lookups, which are
// all measured. What trials cost on top is at most trialShare of what lookups
// cost, beyond a constant and one lookup, whatever the ways cost: a way that
// reads a megabyte for each key is tried for a few lookups.
//
// What a way costs depends on what the block cache holds, and so on the ways of
// the lookups before. A trial therefore judges by its second half, and the next
// one of a way that was no better may be twice as long. In the end that is long
// enough to bring all filters of a store into its cache, if they fit.
//
// All lookups read state, which changes with their way. Only samples write.
type chooser struct {
	state atomic.Uint32 // the way of the next lookup, and measureAll
	// random are the ways that tests want, of which any will do.
	random []Way
	_      [64]byte // what follows is written more often

	mu       sync.Mutex
	ways     []Way
	best     Way
	missRate float64
	followed float64 // lookups of best ways, up to memory
	costs    [numWays]costs
	stakes   [numWays]float64 // of the next trial of a way, in lookups
	known    [numWays]bool    // ways that have been tried
	tried    Way              // by the last trial
	budget   float64          // what trials may cost now, in ns
	trial    *trial           // nil if there is none
	judged   judgement
}

// measureAll is the flag of a state in which each lookup is measured.
const measureAll = 1 << 8

const (
	// samplingRate is one over the share of lookups that are measured, which
	// takes 0.1 µs.
	samplingRate = 16
	// firstLimit is what the first lookups may cost, and the first trial of each
	// other way, in ns: reading as much as Pebble's block cache holds by default,
	// 8 MiB, and the time of it. What a trial has not read is no longer in the
	// cache when the next one begins.
	firstLimit = 24e6
	// trialShare is the share of all costs that trials may take.
	trialShare = 0.03
	// firstStake and lastStake bound the stake of a trial: how many lookups of
	// the best way it may cost on top. It may last longestTrial times as many
	// lookups, each of which costs measuring of the price of one at least.
	firstStake, lastStake = 64, 1 << 16
	longestTrial          = 8
	measuring             = 0.1
	// A way that costs less than better of the best one becomes the best: a
	// change costs some lookups that find the blocks of another way in the
	// cache. A trial of fewer lookups than enough must show half of the cost.
	better, muchBetter, enough = 0.93, 0.5, 32
	// If the cost of lookups changes by the factor changed, or the share of
	// misses by changedRate, stakes become small again.
	changed, changedRate = 1.3, 0.2
	// outlier is how many times the price of a lookup the time of one may be.
	// What takes longer waited for a processor, as lookups of each way may.
	outlier = 6
)

// judgement is what lookups were like when stakes were small.
type judgement struct{ price, missRate float64 }

// newChooser returns a chooser that begins with a way. Its first lookups open
// tables and fill the cache, so what they cost is judged as in a trial.
func newChooser(first Way, ways []Way) *chooser {
	c := &chooser{ways: ways}
	c.settle(first)
	c.try(&trial{way: first, longest: longestTrial * firstStake, limit: firstLimit})
	return c.fix()
}

// choose returns the way of a lookup, and whether to measure and record it.
func (c *chooser) choose() (way Way, measure bool) {
	if len(c.random) > 0 {
		return c.random[rand.IntN(len(c.random))], false
	}
	state := c.state.Load()
	return Way(state &^ measureAll), state&measureAll != 0 || rand.Uint32()%samplingRate == 0
}

// record takes what a lookup cost. It drops what comes while it is at work.
func (c *chooser) record(way Way, miss bool, x cost) {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if price, known := c.price(c.best); known {
		x.time = min(x.time, outlier*price)
	}
	switch {
	case c.trial != nil && way == c.trial.way:
		c.tryOn(miss, x)
	case c.trial == nil && way == c.best:
		c.follow(miss, x)
	}
}

// price returns the price of a lookup of one way.
func (c *chooser) price(way Way) (price float64, known bool) {
	return c.complete(way, c.costs[way]).price(c.missRate)
}

// priceOf returns the price of one lookup.
func (c *chooser) priceOf(way Way, miss bool, x cost) float64 {
	var one costs
	one.add(miss, x)
	price, _ := c.complete(way, one).price(c.missRate)
	return price
}

// complete adds the bytes of ByGet, which Pebble does not tell.
func (c *chooser) complete(way Way, x costs) costs {
	if way == ByGet {
		return x.withBytesLike(c.costs[ByUpperFilters])
	}
	return x
}

// settle makes a way the best.
func (c *chooser) settle(way Way) {
	c.best = way
	c.state.Store(uint32(way))
	c.forgetStakes()
}

func (c *chooser) forgetStakes() {
	for way := range c.stakes {
		c.stakes[way] = firstStake
	}
	c.judged = judgement{}
}

// follow records a lookup of the best way.
func (c *chooser) follow(miss bool, x cost) {
	c.costs[c.best].add(miss, x)
	c.noteMiss(miss)
	price, known := c.price(c.best)
	c.budget += trialShare * samplingRate * price
	if known {
		c.noteChange(price)
		c.tryOther(price)
	}
}

// noteMiss follows the share of lookups that miss.
func (c *chooser) noteMiss(miss bool) {
	x := 0.0
	if miss {
		x = 1
	}
	c.followed = min(c.followed+1, memory)
	c.missRate += (x - c.missRate) / c.followed
}

// noteChange makes stakes small when lookups are no longer what they were.
func (c *chooser) noteChange(price float64) {
	was := c.judged
	switch {
	case was == judgement{}:
		c.judged = judgement{price, c.missRate}
	case price > was.price*changed, price < was.price/changed, math.Abs(c.missRate-was.missRate) > changedRate:
		c.forgetStakes()
	}
}

// tryOther begins a trial of the next way if the budget allows it. The first
// trial of each is free.
func (c *chooser) tryOther(price float64) {
	way := c.nextWay()
	stake := c.stakes[way]
	limit := stake * price
	if known, ok := c.price(way); ok {
		limit = min(limit, stake*known) // sooner if it may be much better
	}
	if !c.known[way] {
		limit = max(limit, firstLimit)
		c.budget += limit
	}
	if c.budget >= limit {
		c.budget = min(c.budget, 2*limit) // savings do not last
		c.try(&trial{way: way, longest: longestTrial * stake, limit: limit, price: price})
	}
}

func (c *chooser) try(t *trial) {
	c.trial, c.known[t.way] = t, true
	c.state.Store(uint32(t.way) | measureAll)
}

// nextWay is the one after the last that was tried, without the best.
func (c *chooser) nextWay() Way {
	i := slices.Index(c.ways, c.tried)
	for {
		i = (i + 1) % len(c.ways)
		if c.ways[i] != c.best {
			return c.ways[i]
		}
	}
}

// tryOn records a lookup of the trial.
func (c *chooser) tryOn(miss bool, x cost) {
	t := c.trial
	t.add(miss, x)
	t.spent += max(c.priceOf(t.way, miss, x)-t.price, 0) + measuring*t.price
	c.noteMiss(miss)
	if t.lookups < t.longest && t.spent < t.limit && !c.isSteady(t) {
		return
	}
	c.trial, c.tried = nil, t.way
	c.state.Store(uint32(c.best))
	if t.way == c.best { // lookups begin
		c.costs[c.best] = t.result()
		if price, known := c.price(c.best); known {
			c.tryOther(price)
		}
		return
	}
	c.budget -= t.spent
	if !c.judge(t) {
		c.stakes[t.way] = min(2*c.stakes[t.way], lastStake)
	}
}

// isSteady reports whether a trial has shown what its way costs: it has lasted as
// long as its stake, and lookups no longer become cheaper. So a way that is no
// better is tried for 64 lookups at first, and not for the 512 that one may need
// which fills the cache.
func (c *chooser) isSteady(t *trial) bool {
	if t.lookups < t.longest/longestTrial || t.recent.measured() > 0 {
		return false
	}
	older, _ := c.complete(t.way, t.older).price(c.missRate)
	now, known := c.complete(t.way, t.before).price(c.missRate)
	return known && now > better*older
}

// judge reports whether a trial made its way the best.
func (c *chooser) judge(t *trial) bool {
	found := t.result()
	now, _ := c.price(c.best)
	price, known := c.complete(t.way, found).price(c.missRate)
	if !known {
		return false
	}
	c.costs[t.way] = found
	if price > muchBetter*now && (price > better*now || found.measured() < enough) {
		return false
	}
	c.settle(t.way)
	return true
}

// trial is a row of lookups that go one way.
type trial struct {
	way            Way
	longest, limit float64 // most lookups, and what they may cost on top in ns
	price          float64 // of a lookup of the best way
	lookups, spent float64 // so far
	// before are the lookups between the last two powers of two, older those
	// between the two earlier ones, recent those since.
	recent, before, older costs
}

func (t *trial) add(miss bool, x cost) {
	t.lookups++
	t.recent.add(miss, x)
	if n := uint64(t.lookups); n&(n-1) == 0 {
		t.recent, t.before, t.older = costs{}, t.recent, t.before
	}
}

// result are at least the second half of the lookups.
func (t *trial) result() costs { return t.recent.plus(t.before) }
