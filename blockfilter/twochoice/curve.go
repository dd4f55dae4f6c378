package twochoice

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// point is a point of a measured curve: bits per key, the best number of probes
// with the default rounds, as a real number, and the rate with the nearest
// whole one.
type point struct {
	bits, probes, rate float64
}

// curve is a layout's and number of choices' measured course, in steps small
// enough to interpolate k linearly and the rate exponentially.
type curve []point

// at interpolates. Rates beyond the last point stay at its rate.
func (c curve) at(bitsPerKey float64) point {
	i := sort.Search(len(c), func(i int) bool { return c[i].bits >= bitsPerKey })
	if i == len(c) {
		return c[i-1]
	}
	q, p := c[i], point{0, 1, 1}
	if i > 0 {
		p = c[i-1]
	}
	t := (bitsPerKey - p.bits) / (q.bits - p.bits)
	// The conversion forbids a fused multiply-add: k must be the same
	// everywhere.
	probes := p.probes + float64(t*(q.probes-p.probes))
	return point{bitsPerKey, probes, p.rate * math.Pow(q.rate/p.rate, t)}
}

// curve returns the curve of a layout and a number of choices.
func (c Config) curve() curve {
	if c.Flat {
		return curves[1][c.Choices-2]
	}
	return curves[0][c.Choices-2]
}

// rate returns the false-positive rate of a large filter with this
// configuration. With the default rounds and probes it is interpolated.
func (c Config) rate() float64 {
	d := c.withDefaults()
	if c.Probes == 0 && d.Rounds == d.defaultRounds() {
		return d.curve().at(d.BitsPerKey).rate
	}
	return d.measure(1)
}

// measure builds a filter of random keys, size times 200,000 in the line layout
// and size times 10,000 in the flat one, and returns its false-positive rate.
// The keys are the same on every call. All options of c must be set.
func (c Config) measure(size int) float64 {
	c.MaxBytes = 0
	keys, unit := 200_000*size, line.Size // the bytes that an absent key asks
	if c.Flat {
		keys = 10_000 * size
		unit = math.MaxInt
	}
	rng := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, keys)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	body, _, _ := trailer.Split(c.AppendBlock(nil, [][]uint64{hashes}, 0, trailer.LevelUnknown))
	sum, units := 0.0, 0.0
	for part := range slices.Chunk(body, min(unit, len(body))) {
		ones := 0
		for _, b := range part {
			ones += bits.OnesCount8(b)
		}
		sum += c.rateOf(ones, 8*len(part))
		units++
	}
	return sum / units
}

// rateOf is the false-positive rate 1 − (1 − p^k)^c where ones of m bits are
// set, p = ones/m. The schemes of probes are within 0.6 % of it.
func (c Config) rateOf(ones, m int) float64 {
	p := float64(ones) / float64(m)
	return -math.Expm1(float64(c.Choices) * math.Log1p(-math.Pow(p, float64(c.Probes))))
}

// bestProbes is the k of the least rate.
func (c Config) bestProbes() int { return int(math.Round(c.curve().at(c.BitsPerKey).probes)) }
