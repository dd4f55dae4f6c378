package theory

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCurvesInvert(t *testing.T) {
	measured := MeasuredCurve(Point{6, 0.0455}, Point{8, 0.0169}, Point{10, 0.00647}, Point{40, 1e-9})
	for name, curve := range map[string]Curve{
		"bloom": BloomCurve(), "line": LineCurve(), "two": TwoChoiceCurve(2), "three": TwoChoiceCurve(3),
		"compressed": CompressedCurve(64), "bound": LowerBoundCurve(), "measured": measured,
	} {
		previous := 1.0
		require.Equal(t, 1.0, curve.Rate(0), name)
		for bits := 0.5; bits <= 30; bits *= 1.25 {
			rate := curve.Rate(bits)
			require.LessOrEqual(t, rate, previous, "%s, %v bits", name, bits)
			least := curve.Bits(rate)
			require.LessOrEqual(t, least, bits+1e-5, "%s, %v bits", name, bits)
			require.InEpsilon(t, rate, curve.Rate(least), 1e-5, "%s, %v bits", name, bits)
			require.GreaterOrEqual(t, rate, LowerBoundRate(bits), name)
			previous = rate
		}
		require.InDelta(t, 1, curve.Rate(1e-9), 1e-8, name)
		require.LessOrEqual(t, curve.Bits(1-1e-9), 0.1, name)
		require.Zero(t, curve.Bits(1), name)
		require.True(t, math.IsInf(curve.Bits(0), 1), name)
	}
}

func TestCurvesEndAtMaxBits(t *testing.T) {
	require.True(t, math.IsInf(BloomBits(1e-15), 1))
	require.InDelta(t, MaxBits, BloomBits(BloomRate(MaxBits, BloomProbes(MaxBits))), 1e-9)
	require.True(t, math.IsInf(LineBits(1e-9), 1))
	require.True(t, math.IsInf(LineBits(math.NaN()), 1))
}

func TestMeasuredCurve(t *testing.T) {
	curve := MeasuredCurve(Point{8, 0.01}, Point{10, 0.0001})
	require.InEpsilon(t, 0.1, curve.Rate(4), 1e-12)
	require.InEpsilon(t, 0.001, curve.Rate(9), 1e-12)
	require.Equal(t, 0.0001, curve.Rate(20))
	require.InEpsilon(t, 9, curve.Bits(0.001), 1e-12)
	require.InEpsilon(t, 10, curve.Bits(0.0001), 1e-12)
	require.True(t, math.IsInf(curve.Bits(0.00001), 1))
	for _, points := range [][]Point{{{0, 0.5}}, {{8, 1}}, {{8, 0}}, {{8, 0.1}, {8, 0.05}}, {{8, 0.1}, {9, 0.1}}, {{math.NaN(), 0.1}}} {
		require.Panics(t, func() { MeasuredCurve(points...) })
	}
}

// A compressed filter is at least as good as a flat one of its stored size, and
// better the larger its array may be.
func TestCompressedCurve(t *testing.T) {
	for _, stored := range []float64{2, 8, 9.5, 16, 30} {
		previous := BloomCurve().Rate(stored)
		for _, most := range []float64{stored, 1.5 * stored, 3 * stored, 12 * stored} {
			rate := CompressedCurve(most).Rate(stored)
			require.LessOrEqual(t, rate, previous*(1+1e-9))
			previous = rate
		}
	}
}

func ExampleCurve() {
	for _, row := range []struct {
		name  string
		curve Curve
	}{
		{"flat Bloom", BloomCurve()},
		{"line Bloom", LineCurve()},
		{"two choices, online", TwoChoiceCurve(2)},
		{"compressed from 40 bits", CompressedCurve(40)},
		{"lower bound", LowerBoundCurve()},
	} {
		fmt.Printf("%-24s 0.5 %% needs %5.2f bits, 9.5 bits give %.3f %%\n",
			row.name, row.curve.Bits(0.005), 100*row.curve.Rate(9.5))
	}
	// Output:
	// flat Bloom               0.5 % needs 11.03 bits, 9.5 bits give 1.047 %
	// line Bloom               0.5 % needs 11.54 bits, 9.5 bits give 1.194 %
	// two choices, online      0.5 % needs 10.99 bits, 9.5 bits give 1.074 %
	// compressed from 40 bits  0.5 % needs 10.05 bits, 9.5 bits give 0.699 %
	// lower bound              0.5 % needs  7.64 bits, 9.5 bits give 0.138 %
}
