package dense

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLineRate compares with rates of simulated lines, and the bound with its
// definition.
func TestLineRate(t *testing.T) {
	for _, c := range []struct{ bits, rate, bound float64 }{
		{6, 0.0196, 0.0164}, {8, 0.00557, 0.00449}, {10, 0.00166, 0.00130}, {12, 0.00053, 0.00040}, {16, 6.4e-5, 4.6e-5},
	} {
		require.InEpsilon(t, c.rate, lineRate(c.bits), 0.01)
		require.InEpsilon(t, c.bound, bound(c.bits), 0.01)
	}
	last := 1.0
	for bits := 1.0 / 64; bits < 40; bits *= 1.05 {
		rate := lineRate(bits)
		require.Less(t, bound(bits), rate+1e-15)
		require.LessOrEqual(t, rate, last+1e-9)
		last = rate
	}
	require.Equal(t, 1.0, lineRate(0.001))
}

// bound is the least rate of any filter whose keys have each one line of 512
// bits and no more: E[2^(−512/X)] over the number X of a line's keys.
func bound(bitsPerKey float64) float64 {
	rates := make([]float64, len(ratesByKeys()))
	for keys := range rates {
		rates[keys] = math.Exp2(-lineBits / float64(keys))
	}
	return average(bitsPerKey, rates)
}
