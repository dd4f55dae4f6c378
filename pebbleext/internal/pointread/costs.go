package pointread

import "math"

// A cost is what lookups take: time in ns, and bytes that they read because they
// were not in the block cache.
type cost struct{ time, bytes float64 }

// price is in ns. A byte costs one beside its time: reads fill the block cache,
// the page cache and the device's queue, for others to wait. Reads of a device
// that takes 2 GB/s cost half a ns. Where reads are of 4 KiB the price of bytes is
// about that of their time.
func (c cost) price() float64 { return c.time + c.bytes }

// mean is the mean of n costs, or of about the last memory ones if there are
// more, and the variance of their prices.
type mean struct {
	cost
	variance, n float64
}

const memory = 256

func (m *mean) add(x cost) {
	m.n = min(m.n+1, memory)
	off := x.price() - m.price()
	m.time += (x.time - m.time) / m.n
	m.bytes += (x.bytes - m.bytes) / m.n
	m.variance += (off*(x.price()-m.price()) - m.variance) / m.n
}

// costs are what lookups of one way cost: those of absent keys and those of
// present keys apart, so that a change of their shares needs no new
// measurements.
type costs struct{ miss, hit mean }

func (c *costs) of(miss bool) *mean {
	if miss {
		return &c.miss
	}
	return &c.hit
}

// estimate is what a lookup costs. It is known if there are measurements of what
// most lookups do.
type estimate struct {
	price, variance float64 // variance is that of the mean
	known           bool
}

// estimate returns that of a lookup where some share misses.
func (c *costs) estimate(missRate float64) estimate {
	known := true
	switch {
	case c.miss.n == 0:
		known, missRate = c.hit.n > 0 && missRate < 0.5, 0
	case c.hit.n == 0:
		known, missRate = missRate > 0.5, 1
	}
	hitRate := 1 - missRate
	return estimate{
		missRate*c.miss.price() + hitRate*c.hit.price(),
		missRate*missRate*c.miss.variance/max(c.miss.n, 1) + hitRate*hitRate*c.hit.variance/max(c.hit.n, 1),
		known,
	}
}

// isLess reports whether a price is less than another, and not by chance.
func (e estimate) isLess(other estimate) bool {
	return e.known && other.price-e.price > doubt*math.Sqrt(e.variance+other.variance)
}
