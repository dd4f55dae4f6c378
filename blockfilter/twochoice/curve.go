package twochoice

import (
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
	const size = 10
	return d.simulate(size)
}

// bestProbes is the k of the least rate.
func (c Config) bestProbes() int { return int(math.Round(c.curve().at(c.BitsPerKey).probes)) }
