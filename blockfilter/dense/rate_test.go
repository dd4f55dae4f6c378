package dense

import (
	"math"
	"math/rand/v2"
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

// TestSolvableColumns draws random equations. With 20,000 systems of each kind
// the tolerance is six standard deviations or more.
func TestSolvableColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const systems, slots = 20_000, 7
	const equations = 9
	var solvable [equations + 1]float64
	for range systems {
		var rows [slots]uint64
		for k := range equations + 1 {
			solvable[k]++
			row := rng.Uint64N(1 << (slots + 1)) // the value is the lowest bit
			for slot := slots; slot > 0; slot-- {
				if row>>slot&1 == 0 {
					continue
				}
				if rows[slot-1] == 0 {
					rows[slot-1] = row
					row = 0
					break
				}
				row ^= rows[slot-1]
			}
			if row == 1 {
				break
			}
		}
	}
	for k, p := range solvableColumns(equations, slots) {
		require.InDelta(t, p, solvable[k]/systems, 0.022, "%d equations", k)
	}
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
