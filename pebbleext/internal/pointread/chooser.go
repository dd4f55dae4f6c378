package pointread

import (
	"math"
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
// the lookups before. A trial therefore judges by its second half, and the next
// one of a way that was no better may be twice as long. In the end that is long
// enough to bring all filters of a store into its cache, if they fit.
//
// All lookups read state and middle, which change with their way. Only samples
// write.
type chooser struct {
	state  atomic.Uint32 // the way of the next lookup, and measureAll
	middle atomic.Pointer[[]byte]
	// random are the ways that tests want, of which any will do.
	random []Way
	_      [64]byte // what follows is written more often

	mu       sync.Mutex
	options  Options
	ways     []Way
	best     Way
	missRate float64
	followed float64 // lookups of best ways, up to memory
	costs    [numWays]costs
	attempts [numWays]attempts
	total    float64 // price of the lookups so far, in ns
	trial    *trial  // nil if there is none
	judged   judgement
	sample   sample
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
	// trialShare is the share of all costs that trials may take. Each way has an
	// equal part of it, and an n-th of that once it has failed n times in a row.
	trialShare = 0.03
	// firstStake is the stake of a way's first trial: how many lookups of the best
	// way it may cost on top. It doubles with each failure, of which mostFailures
	// count. A trial may last longestTrial times as many lookups, each of which
	// costs measuring of the price of one at least.
	firstStake, mostFailures = 64, 10
	longestTrial             = 8
	measuring                = 0.1
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

// attempts are those to find a way the best.
type attempts struct {
	tried  bool
	failed int     // in a row
	due    float64 // total from which on the next one may begin
}

// stake is how many lookups of the best way the next one may cost on top.
func (a attempts) stake() float64 { return float64(int(firstStake) << a.failed) }

// judgement is what lookups were like when stakes were small.
type judgement struct{ price, missRate float64 }

// newChooser returns a chooser that begins with a way. Its first lookups open
// tables and fill the cache, so what they cost is judged as in a trial.
func newChooser(first Way, ways []Way, options Options) *chooser {
	c := &chooser{ways: ways, options: options}
	c.settle(first)
	c.try(&trial{way: first, longest: longestTrial * firstStake, limit: firstLimit})
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
	if price, known := c.typicalPrice(); known {
		x.time = min(x.time, outlier*price)
	}
	switch {
	case c.trial != nil && way == c.trial.way:
		c.trial.noteOutlier(took - x.time)
		c.tryOn(miss, x)
	case c.trial == nil && way == c.best:
		c.follow(miss, x)
	}
}

// typicalPrice returns the price of a lookup of the best way, or of the first
// lookups until that is known.
func (c *chooser) typicalPrice() (price float64, known bool) {
	price, known = c.price(c.best)
	if t := c.trial; !known && t != nil && t.lookups >= fewLookups {
		return c.complete(t.way, t.result()).price(c.missRate)
	}
	return price, known
}

// fewLookups are enough to tell what takes much longer than others.
const fewLookups = 8

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
	c.attempts[way].failed = 0
	c.state.Store(uint32(way))
}

// follow records a lookup of the best way.
func (c *chooser) follow(miss bool, x cost) {
	c.costs[c.best].add(miss, x)
	c.noteMiss(miss)
	price, known := c.price(c.best)
	c.total += samplingRate * price
	if known {
		c.noteChange(price)
		c.tryOther(price)
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
	was := c.judged
	if price <= was.price*changed && price >= was.price/changed && math.Abs(c.missRate-was.missRate) <= changedRate {
		return
	}
	c.judged = judgement{price, c.missRate}
	for way := range c.attempts {
		c.attempts[way].failed = 0
		c.attempts[way].due = min(c.attempts[way].due, c.total+firstStake*price/trialShare)
	}
}

// tryOther begins a trial of the next way if it is due. The first trial of each
// always is.
func (c *chooser) tryOther(price float64) {
	way := c.nextWay()
	a := c.attempts[way]
	if c.total < a.due || c.isQuiet() {
		return
	}
	limit := a.stake() * price
	if known, ok := c.price(way); ok {
		limit = min(limit, a.stake()*known) // sooner if it may be much better
	}
	if !a.tried {
		limit = max(limit, firstLimit)
	}
	c.try(&trial{way: way, longest: longestTrial * a.stake(), limit: limit, price: price})
}

// nextWay is the one that is due first, without the best.
func (c *chooser) nextWay() (next Way) {
	due := math.Inf(1)
	for _, way := range c.ways {
		if way != c.best && c.attempts[way].due < due {
			next, due = way, c.attempts[way].due
		}
	}
	return next
}

func (c *chooser) try(t *trial) {
	if t.way.isHalf() && !c.best.isHalf() {
		c.middle.Store(c.sample.middle(c.options.Compare))
	}
	c.trial, c.attempts[t.way].tried = t, true
	c.state.Store(uint32(t.way) | measureAll)
}

// tryOn records a lookup of the trial.
func (c *chooser) tryOn(miss bool, x cost) {
	t := c.trial
	t.add(miss, x)
	t.spent += max(c.priceOf(t.way, miss, x)-t.price, 0) + measuring*t.price
	c.noteMiss(miss)
	if t.lookups < t.longest && t.onTop() < t.limit && !c.isSteady(t) {
		return
	}
	c.trial = nil
	c.state.Store(uint32(c.best))
	if t.way == c.best { // lookups begin
		c.costs[c.best] = t.result()
		if price, known := c.price(c.best); known {
			c.tryOther(price)
		}
		return
	}
	a := &c.attempts[t.way]
	if !c.judge(t) {
		a.failed = min(a.failed+1, mostFailures)
	}
	a.due = c.total + t.onTop()*float64(max(a.failed, 1)*(len(c.ways)-1))/trialShare
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
	wanted := better
	if c.options.Resident && t.way == ByIndexFilters { // see isQuiet
		wanted = 1 / better
	}
	if price > muchBetter*now && (price > wanted*now || found.measured() < enough) {
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
	outliers, lost float64 // of these, and what they took longer in ns
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

// noteOutlier notes what a lookup took longer than an outlier may.
func (t *trial) noteOutlier(longer float64) {
	if longer > 0 {
		t.outliers++
		t.lost += longer
	}
}

// onTop is what the lookups cost more than those of the best way. If most are
// outliers then they did not wait for a processor: the way is slow, as requests
// to object storage are.
func (t *trial) onTop() float64 {
	if t.outliers > 1 && t.outliers > t.lookups/2 {
		return t.spent + t.lost
	}
	return t.spent
}

// result are at least the second half of the lookups.
func (t *trial) result() costs { return t.recent.plus(t.before) }
