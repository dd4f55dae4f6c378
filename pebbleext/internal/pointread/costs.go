package pointread

import "time"

// A cost is what lookups take: time, and bytes that they read because they were
// not in the block cache. Its price is in ns.
type cost struct{ time, bytes float64 }

// bytePrice is what reading a byte costs beside its time, in ns: reads fill
// the block cache, the page cache and the device's queue, for others to wait.
// Reads of a device that takes 2 GB/s cost half a ns. Where reads are of 4 KiB
// the price of bytes is about that of their time.
const bytePrice = 1.0

func costOf(time time.Duration, bytes uint64) cost {
	return cost{float64(time.Nanoseconds()), float64(bytes)}
}

func (c cost) price() float64 { return c.time + bytePrice*c.bytes }

// costs are what lookups of one way cost: those of absent keys and those of
// present keys apart, so that a change of their shares needs no new
// measurements.
type costs struct{ miss, hit mean }

func (c *costs) add(miss bool, x cost) {
	if miss {
		c.miss.add(x)
	} else {
		c.hit.add(x)
	}
}

// measured is how many lookups there are.
func (c *costs) measured() float64 { return c.miss.n + c.hit.n }

// price returns that of a lookup where some share misses. It is known if there
// are measurements of what most lookups do.
func (c costs) price(missRate float64) (price float64, known bool) {
	switch {
	case c.miss.n == 0 && c.hit.n == 0:
		return 0, false
	case c.miss.n == 0:
		return c.hit.price(), missRate < 0.5
	case c.hit.n == 0:
		return c.miss.price(), missRate > 0.5
	}
	return missRate*c.miss.price() + (1-missRate)*c.hit.price(), true
}

// plus are the costs of both.
func (c costs) plus(d costs) costs { return costs{c.miss.plus(d.miss), c.hit.plus(d.hit)} }

// withBytesLike returns the costs of lookups whose bytes are not known. They read
// as much in their time as others do, but not much more: some of their time may
// be that of another process.
func (c costs) withBytesLike(d costs) costs {
	return costs{c.miss.withBytesLike(d.miss), c.hit.withBytesLike(d.hit)}
}

// mean is the mean of n costs, or of about the last memory ones if there are
// more.
type mean struct {
	cost
	n float64
}

const memory = 256

func (m *mean) add(x cost) {
	m.n = min(m.n+1, memory)
	m.time += (x.time - m.time) / m.n
	m.bytes += (x.bytes - m.bytes) / m.n
}

func (m mean) plus(o mean) mean {
	n := m.n + o.n
	if n == 0 {
		return mean{}
	}
	return mean{cost{(m.time*m.n + o.time*o.n) / n, (m.bytes*m.n + o.bytes*o.n) / n}, min(n, memory)}
}

func (m mean) withBytesLike(o mean) mean {
	if o.time > 0 {
		m.bytes = o.bytes * min(m.time/o.time, 1.5)
	}
	return m
}
