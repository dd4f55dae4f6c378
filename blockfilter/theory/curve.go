package theory

import (
	"cmp"
	"math"
	"slices"

	"github.com/gravelkv/gravel/compress"
)

// Curve relates the bits per key of a filter to its false-positive rate, each
// with the best number of probes. It is safe for concurrent use.
type Curve struct {
	rate func(bitsPerKey float64) float64
	bits func(rate float64) float64
}

// Rate is the false-positive rate that the bits per key give: 1 at 0 bits.
func (c Curve) Rate(bitsPerKey float64) float64 {
	if bitsPerKey == 0 {
		return 1
	}
	return c.rate(bitsPerKey)
}

// Bits is the least number of bits per key for the rate: 0 for rates of 1 and
// more, +Inf for rates that the curve does not reach.
func (c Curve) Bits(rate float64) float64 {
	return c.bits(rate)
}

// BloomCurve is the curve of a flat Bloom filter of many keys.
func BloomCurve() Curve {
	return Curve{
		rate: func(bits float64) float64 { return BloomRate(bits, BloomProbes(bits)) },
		bits: BloomBits,
	}
}

// LineCurve is the curve of a blocked Bloom filter with 512-bit lines.
func LineCurve() Curve {
	return Curve{
		rate: func(bits float64) float64 { return LineRate(bits, LineProbes(bits)) },
		bits: LineBits,
	}
}

// TwoChoiceCurve is the curve of a flat filter with choices taken online; the
// offline filters are better and have measured curves.
func TwoChoiceCurve(choices int) Curve {
	return Curve{
		rate: func(bits float64) float64 { return TwoChoiceRate(bits, TwoChoiceProbes(bits, choices), choices) },
		bits: func(rate float64) float64 { return TwoChoiceBits(rate, choices) },
	}
}

// CompressedCurve is the curve, over stored bits per key at the entropy bound,
// of a compressed Bloom filter whose array has at most maxArrayBits per key.
func CompressedCurve(maxArrayBits float64) Curve {
	rate := func(bits float64) float64 { return compress.PlanWhole(bits, maxArrayBits).FPR }
	return Curve{
		rate: rate,
		bits: func(target float64) float64 { return invert(rate, target) },
	}
}

// LowerBoundCurve is the lower bound of all filters.
func LowerBoundCurve() Curve {
	return Curve{rate: LowerBoundRate, bits: LowerBoundBits}
}

// Point is a measured false-positive rate at a number of bits per key.
type Point struct {
	BitsPerKey, Rate float64
}

// MeasuredCurve joins measured points, and rate 1 at 0 bits, by straight lines
// over the logarithm of the rate. Beyond the last point it promises no more
// than that point: the rate stays, and lower rates are out of reach. It panics
// unless bits are positive and increase while rates, below 1, decrease.
func MeasuredCurve(points ...Point) Curve {
	joined := append([]Point{{0, 1}}, points...)
	for i, point := range points {
		if !(point.BitsPerKey > joined[i].BitsPerKey && 0 < point.Rate && point.Rate < joined[i].Rate) {
			panic("theory: a measured curve needs increasing bits and decreasing rates between 1 and 0")
		}
	}
	return Curve{
		rate: func(bits float64) float64 { return rateBetween(joined, bits) },
		bits: func(rate float64) float64 { return bitsBetween(joined, rate) },
	}
}

func rateBetween(points []Point, bits float64) float64 {
	i, _ := slices.BinarySearchFunc(points, bits, func(p Point, bits float64) int {
		return cmp.Compare(p.BitsPerKey, bits)
	})
	if i == len(points) {
		return points[i-1].Rate
	}
	if !(bits > 0) {
		return 1
	}
	left, right := points[i-1], points[i]
	share := (bits - left.BitsPerKey) / (right.BitsPerKey - left.BitsPerKey)
	return left.Rate * math.Pow(right.Rate/left.Rate, share)
}

func bitsBetween(points []Point, rate float64) float64 {
	i, _ := slices.BinarySearchFunc(points, rate, func(p Point, rate float64) int {
		return cmp.Compare(rate, p.Rate)
	})
	switch {
	case i == len(points):
		return math.Inf(1)
	case i == 0:
		return 0
	}
	left, right := points[i-1], points[i]
	share := math.Log(rate/left.Rate) / math.Log(right.Rate/left.Rate)
	return left.BitsPerKey + share*(right.BitsPerKey-left.BitsPerKey)
}
