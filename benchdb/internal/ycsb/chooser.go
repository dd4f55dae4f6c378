package ycsb

import (
	"math"
	"math/rand/v2"
)

// A chooser draws the number of the record that an operation asks for. It may
// draw numbers above the last inserted one, which the caller draws again.
type chooser func(rng *rand.Rand, last uint64) uint64

const (
	scrambledItems = 10_000_000_000
	scrambledZeta  = 26.46902820178302
)

// newScrambled is YCSB's ScrambledZipfianGenerator: a zipfian rank over a fixed
// space of 10^10 items, hashed onto the records, so that the popular records lie
// anywhere and stay the same ones as the store grows. It spreads over the records
// that are there and those expected. Both sizes are one larger than they sound, as
// in YCSB, whose ranges include their upper end.
func newScrambled(records, expected uint64) chooser {
	const items = scrambledItems + 1
	z := &zipfian{items: items, count: items, zeta: scrambledZeta}
	z.setEta()
	return func(rng *rand.Rand, _ uint64) uint64 { return hash(z.next(rng, items)) % (records + expected + 1) }
}

// newLatest is YCSB's SkewedLatestGenerator: zipfian by age, the newest record the
// most popular.
func newLatest(records uint64) chooser {
	z := newZipfian(records - 1)
	return func(rng *rand.Rand, last uint64) uint64 { return last - z.next(rng, last) }
}

// uniform draws every record with the same probability.
func uniform(rng *rand.Rand, last uint64) uint64 { return rng.Uint64N(last + 1) }

// theta is YCSB's zipfian constant.
const theta = 0.99

// zipfian draws ranks from 0, the most popular, with the probability of rank i
// close to (i+1)^−theta / zeta. It is the generator of Gray et al., "Quickly
// Generating Billion-Record Synthetic Databases", SIGMOD 1994, in the form of
// YCSB's ZipfianGenerator: exact for ranks 0 and 1, a power law for the rest.
type zipfian struct {
	items float64 // the number of items that eta was first computed for
	count uint64  // the number of items that zeta covers
	zeta  float64 // Σ i^−theta for i from 1 to count
	eta   float64
}

func newZipfian(items uint64) *zipfian {
	z := &zipfian{items: float64(items)}
	z.grow(items)
	return z
}

// next draws a rank below items. More items than before extend zeta by their
// own terms; fewer leave it as it is, as YCSB does.
func (z *zipfian) next(rng *rand.Rand, items uint64) uint64 {
	if items > z.count {
		z.grow(items)
	}
	u := rng.Float64()
	switch uz := u * z.zeta; {
	case uz < 1:
		return 0
	case uz < 1+math.Pow(0.5, theta):
		return 1
	}
	return uint64(float64(items) * math.Pow(z.eta*u-z.eta+1, 1/(1-theta)))
}

func (z *zipfian) grow(items uint64) {
	for i := z.count + 1; i <= items; i++ {
		z.zeta += math.Pow(float64(i), -theta)
	}
	z.count = items
	z.setEta()
}

// setEta keeps YCSB's use of the first number of items, also when zeta has
// grown.
func (z *zipfian) setEta() {
	zeta2 := 1 + math.Pow(0.5, theta)
	z.eta = (1 - math.Pow(2/z.items, 1-theta)) / (1 - zeta2/z.zeta)
}
