package twochoice

import (
	"errors"
	"fmt"
	"math"
	"sort"
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
	// The conversion forbids a fused multiply-add: k must be the same
	// everywhere.
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

// curveOf returns the curve of a layout and a number of choices.
func curveOf(l Layout, choices int) curve { return curves[l][choices-2] }

// rate returns the false-positive rate of a large filter with this
// configuration. With the default rounds and probes it is interpolated.
func (c Config) rate() float64 {
	d := c.withDefaults()
	if c.Probes == 0 && d.Rounds == d.defaultRounds() {
		return curveOf(d.Layout, d.Choices).at(d.BitsPerKey).rate
	}
	const size = 10
	return d.simulate(size)
}

// Bits returns the least bits per key at which the layout and the number of
// choices reach a false-positive rate with the default rounds and probes.
func (c Config) Bits(rate float64) (float64, error) {
	if c.Probes != 0 {
		return 0, errors.New("k goes with bits per key, not with a rate")
	}
	c.BitsPerKey = MaxBitsPerKey
	if err := c.Validate(); err != nil {
		return 0, err
	}
	curve := curveOf(c.Layout, c.withDefaults().Choices)
	if !(rate >= curve[len(curve)-1].rate && rate <= 1) {
		return 0, fmt.Errorf("a two-choice filter cannot reach a rate of %v %%", rate*100)
	}
	return curve.bitsFor(rate), nil
}

// bestProbes is the k of the least rate.
func bestProbes(l Layout, choices int, bitsPerKey float64) int {
	return int(math.Round(curveOf(l, choices).at(bitsPerKey).probes))
}
