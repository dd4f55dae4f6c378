package pointread

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A chooser picks the way of each lookup by what lookups have cost. Most go the
// best way, which was the cheapest, and one in samplingRate of those is
// measured. Now and then another way is tried for a row of lookups, which are
// all measured. Then it is not tried again until what that cost on top is its
// part of trialShare of what lookups cost, less and less while it fails. So a way
// that reads a megabyte for each key is tried for a few lookups, seldom.
//
// What a way costs depends on what the block cache holds, and so on the ways of
// the lookups before. A trial therefore judges by its last round, and the next
// one of a way that was no better may be twice as long. In the end that is long
// enough to bring all filters of a store into its cache, if they fit.
//
// All lookups read state and border, which change with their way. Only samples
// write.
type chooser struct {
	state  atomic.Uint32          // the way of the next lookup, and measureAll
	border atomic.Pointer[[]byte] // last key of the part that it asks upper filters for
	// random are the ways that tests want, of which any will do.
	random []Way
	_      [64]byte // what follows is written more often

	mu       sync.Mutex
	options  Options
	ways     []Way
	best     Way
	missRate float64
	followed float64 // lookups, up to memory
	costs    [numWays]costs
	attempts [numWays]attempts
	total    float64 // price of the lookups so far, in ns
	trial    *trial  // nil if there is none
	sample   sample
	keys     [][]byte // sorted, of when parts of the keys were first tried
	// What lookups were like when stakes were small.
	judgedPrice, judgedRate float64
}

// measureAll is the flag of a state in which each lookup is measured.
const measureAll = 1 << 8

const (
	// samplingRate is one over the share of lookups that are measured, which
	// takes 0.1 µs.
	samplingRate = 16
	// firstLimit is what the first lookups may cost, and the first trial of each
	// other way but for parts, in ns: reading as much as Pebble's block cache holds
	// by default, 8 MiB, and the time of it. What a trial has not read is no longer
	// in the cache when the next one begins.
	firstLimit = 24e6
	// trialShare is the share of all costs that trials may take. Each way has an
	// equal part of it, and an n-th of that once it has failed n times in a row.
	trialShare = 0.03
	// firstStake is the stake of a way's first trial: how many lookups it lasts at
	// least, and of how many lookups of the best way it may cost the price on top.
	// It lasts longestTrial times as many at most. The stake doubles with each
	// failure, of which mostFailures count.
	firstStake, longestTrial, mostFailures = 64, 16, 10
	// A round that costs more than steady of the one before shows that lookups do
	// not become cheaper any more.
	steady = 0.93
	// doubt is how many standard errors prices must differ by, for a way to be
	// better by more than chance.
	doubt = 1.5
	// If the cost of lookups changes by the factor changed, or the share of
	// misses by changedRate, stakes become small again.
	changed, changedRate = 1.3, 0.2
	// outlier is how many times the price of a lookup the time of one may be.
	// What takes longer waited for a processor, as lookups of each way may. It
	// takes fewLookups to tell.
	outlier, fewLookups = 6, 8
)

// attempts are those to find a way the best.
type attempts struct {
	failed int     // in a row
	due    float64 // total from which on the next one may begin; 0 for the first
}

// newChooser returns a chooser that begins with a way. Its first lookups open
// tables and fill the cache, so what they cost is judged as in a trial.
func newChooser(first Way, ways []Way, options Options) *chooser {
	c := &chooser{ways: ways, options: options, best: first}
	c.begin(&trial{way: first, stake: firstStake, limit: firstLimit})
	return c.fix()
}

// choose returns the way of a lookup, and whether to measure and record it, by a
// random number.
func (c *chooser) choose(random uint32) (way Way, measure bool) {
	if len(c.random) > 0 {
		return c.random[int(random)%len(c.random)], false
	}
	state := c.state.Load()
	return Way(state &^ measureAll), state&measureAll != 0 || random%samplingRate == 0
}

// record takes what the lookup of a key cost. It drops what comes while it is at
// work.
func (c *chooser) record(key []byte, way Way, miss bool, x cost) {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	c.sample.add(key)
	took := x.time
	x.time = min(took, c.mostTime(miss))
	if way == ByGet {
		x.bytes = c.bytesOfGet(miss, x.time)
	}
	switch {
	case c.trial != nil && way == c.trial.way:
		c.trial.noteSlow(took - x.time)
		c.tryOn(miss, x)
	case c.trial == nil && way == c.best:
		c.follow(miss, x)
	}
}

// bytesOfGet returns what a lookup by ByGet has read, which Pebble does not tell:
// as much in its time as those by ByUpperFilters.
func (c *chooser) bytesOfGet(miss bool, time float64) float64 {
	like := c.costs[ByUpperFilters].of(miss)
	return like.bytes * time / max(like.time, 1)
}

// mostTime is what the time of a lookup counts at most.
func (c *chooser) mostTime(miss bool) float64 {
	typical := c.costs[c.best].of(miss)
	if c.trial != nil && c.trial.way == c.best {
		typical = c.trial.last.of(miss)
	}
	if typical.n < fewLookups {
		return math.Inf(1)
	}
	return outlier * typical.price()
}

// follow records a lookup of the best way.
func (c *chooser) follow(miss bool, x cost) {
	c.costs[c.best].of(miss).add(x)
	c.noteMiss(miss)
	now := c.costs[c.best].estimate(c.missRate)
	c.total += samplingRate * now.price
	if now.known {
		c.noteChange(now.price)
		c.tryOther(now.price)
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

// noteChange forgets failures when lookups are no longer what they were.
func (c *chooser) noteChange(price float64) {
	if price <= c.judgedPrice*changed && price >= c.judgedPrice/changed && math.Abs(c.missRate-c.judgedRate) <= changedRate {
		return
	}
	c.judgedPrice, c.judgedRate = price, c.missRate
	for way := range c.attempts {
		a := &c.attempts[way]
		a.failed, a.due = 0, min(a.due, c.total+firstStake*price/trialShare)
	}
}

// isQuiet reports whether resident filters answer nearly all queries, so that
// another way can save nothing. What one costs is not seen in a trial: where a
// filter in memory says "maybe" the table filter is asked the same again, once in
// hundreds of lookups, for a whole block.
func (c *chooser) isQuiet() bool {
	x := c.costs[ByIndexFilters]
	return c.options.Resident && c.best == ByIndexFilters &&
		c.missRate*x.miss.bytes+(1-c.missRate)*x.hit.bytes < quietBytes
}

// quietBytes are an eighth of a data block's.
const quietBytes = 512

// tryOther begins a trial of the next way if it is due. The first trial of each
// always is.
func (c *chooser) tryOther(price float64) {
	way := c.nextWay()
	a := c.attempts[way]
	if c.total < a.due || c.isQuiet() {
		return
	}
	stake := float64(int(firstStake) << a.failed)
	limit := stake * price
	if a.due == 0 && !way.isPart() {
		limit = max(limit, firstLimit)
	}
	c.begin(&trial{way: way, stake: stake, limit: limit, price: price})
}

// nextWay is the one that is due first, without the best: one of those that
// lookups begin with, or upper filters for a part of the keys more or less.
func (c *chooser) nextWay() (next Way) {
	due := math.Inf(1)
	consider := func(way Way) {
		if way != c.best && c.attempts[way].due < due {
			next, due = way, c.attempts[way].due
		}
	}
	for _, way := range c.ways {
		consider(way)
	}
	if !slices.Contains(c.ways, HalfByUpperFilters) {
		return next
	}
	for _, way := range [...]Way{c.best - 1, c.best + 1} {
		if way.isPart() {
			consider(way)
		}
	}
	return next
}

func (c *chooser) begin(t *trial) {
	if t.way.isPart() && !c.best.isPart() {
		c.keys = c.sample.sorted(c.options.Compare)
	}
	c.trial = t
	c.setBorder(t.way)
	c.state.Store(uint32(t.way) | measureAll)
}

// setBorder makes the border that of a way.
func (c *chooser) setBorder(way Way) {
	if way.isPart() && len(c.keys) > 0 {
		c.border.Store(&c.keys[len(c.keys)*int(way-ByIndexFilters)/parts])
	}
}

// tryOn records a lookup of the trial.
func (c *chooser) tryOn(miss bool, x cost) {
	t := c.trial
	roundEnded := t.add(miss, x)
	c.noteMiss(miss)
	switch {
	case roundEnded && t.lookups >= firstStake && c.isBetter(t):
		// Soon, as the other may have won by chance: it happened to have no filter
		// block to read. With an eighth of the wait, 20 runs with a cache for 0.25
		// and 0.4 of the filters read at most 1.14 times the bytes of lookups without
		// filters, with all of it up to 1.36.
		c.wait(c.best, firstStake*t.price/8)
		c.end(t.way, t.last)
	case t.isOver():
		c.lose(t.all)
	case roundEnded && t.isSteady(c.missRate) && !c.isPromising(t):
		c.lose(t.last)
	}
}

// lose ends a trial that made its way no better than the best one, or that
// lookups began with.
func (c *chooser) lose(found costs) {
	t := c.trial
	c.end(c.best, found)
	if t.way != c.best {
		a := &c.attempts[t.way]
		a.failed = min(a.failed+1, mostFailures)
		c.wait(t.way, max(t.onTop(), firstStake*t.price/2))
	}
}

// isBetter reports whether the way of a trial costs less than the best one.
func (c *chooser) isBetter(t *trial) bool {
	if c.options.Resident && t.way == ByIndexFilters { // see isQuiet
		return t.isSteady(c.missRate) && c.isPromising(t)
	}
	if t.way == c.best {
		return false
	}
	// The best way's error is large if a few of its lookups waited for a processor.
	isLong := t.lookups >= longestTrial*t.stake
	return isLong && c.isPromising(t) || t.last.estimate(c.missRate).isLess(c.costs[c.best].estimate(c.missRate))
}

// isPromising reports whether the way of a trial may cost less than the best one.
func (c *chooser) isPromising(t *trial) bool {
	return t.last.estimate(c.missRate).price < c.costs[c.best].estimate(c.missRate).price
}

// end ends the trial, whose lookups cost so much. A way is the best from now on.
func (c *chooser) end(best Way, found costs) {
	c.costs[c.trial.way] = found
	c.trial, c.best = nil, best
	c.attempts[best].failed = 0
	c.setBorder(best)
	c.state.Store(uint32(best))
}

// wait makes the next trial of a way due when lookups have cost so much that the
// one before was its part of trialShare.
func (c *chooser) wait(way Way, cost float64) {
	a := &c.attempts[way]
	a.due = c.total + cost*float64(max(a.failed, 1)*(len(c.ways)-1))/trialShare
}
