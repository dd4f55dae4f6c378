package twochoice

import (
	"fmt"
	"math"
	"sort"

	"github.com/gravelkv/gravel/blockfilter/theory"
)

// point is a point of a measured curve: at so many bits per key and the
// default number of rounds, the best number of probes, as a real number, and
// the rate with the nearest whole one.
type point struct {
	bits, probes, rate float64
}

// curve is a layout's and number of choices' measured course, in steps small
// enough to interpolate k linearly and the rate exponentially.
type curve []point

// at interpolates. Rates beyond the last point stay at its rate.
func (c curve) at(bits float64) point {
	i := sort.Search(len(c), func(i int) bool { return c[i].bits >= bits })
	if i == len(c) {
		return c[i-1]
	}
	q, p := c[i], point{0, 1, 1}
	if i > 0 {
		p = c[i-1]
	}
	t := (bits - p.bits) / (q.bits - p.bits)
	// The conversion forbids a fused multiply-add: k must be the same everywhere.
	probes := p.probes + float64(t*(q.probes-p.probes))
	return point{bits, probes, p.rate * math.Pow(q.rate/p.rate, t)}
}

// bitsFor is the inverse of at's rate, for rates from that of the last point
// to 1.
func (c curve) bitsFor(rate float64) float64 {
	i := sort.Search(len(c), func(i int) bool { return c[i].rate <= rate })
	q, p := c[i], point{0, 1, 1}
	if i > 0 {
		p = c[i-1]
	}
	return p.bits + (q.bits-p.bits)*math.Log(rate/p.rate)/math.Log(q.rate/p.rate)
}

// Rate returns the false-positive rate of a large filter with this
// configuration. With the default rounds and probes it is measured beforehand
// and interpolated, within 2 %. Otherwise it is measured on the spot, which
// takes 10 ms or so. One choice has formulas.
func (c Config) Rate() float64 {
	d := c.withDefaults()
	switch {
	case d.Choices == 1 && d.Layout == Line:
		return theory.LineRate(d.BitsPerKey, d.Probes)
	case d.Choices == 1:
		return theory.BloomRate(d.BitsPerKey, d.Probes)
	case c.Probes == 0 && d.Rounds == d.defaultRounds():
		return curves[d.Layout][d.Choices-2].at(d.BitsPerKey).rate
	}
	const size = 10
	return d.simulate(size)
}

// Bits returns the least bits per key at which the layout and the number of
// choices, 0 for the default, reach a false-positive rate with the default
// rounds and probes.
func Bits(l Layout, choices int, rate float64) (float64, error) {
	if choices == 0 {
		choices = defaultChoices
	}
	var bits float64
	switch {
	case choices == 1 && l == Line:
		bits = theory.LineBits(rate)
	case choices == 1:
		bits = theory.BloomBits(rate)
	default:
		c := curves[l][choices-2]
		if !(rate >= c[len(c)-1].rate && rate <= 1) {
			return 0, unreachable(rate)
		}
		bits = c.bitsFor(rate)
	}
	if !(bits <= MaxBitsPerKey) {
		return 0, unreachable(rate)
	}
	return bits, nil
}

func unreachable(rate float64) error {
	return fmt.Errorf("a two-choice filter cannot reach a rate of %v %%", rate*100)
}

// bestProbes is the k of the least rate.
func bestProbes(l Layout, choices int, bitsPerKey float64) int {
	switch {
	case choices == 1 && l == Line:
		return theory.LineProbes(bitsPerKey)
	case choices == 1:
		return min(theory.BloomProbes(bitsPerKey), MaxFlatProbes)
	}
	return int(math.Round(curves[l][choices-2].at(bitsPerKey).probes))
}
