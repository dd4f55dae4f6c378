package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDenseRate compares with rates of simulated lines, and the bound with its
// definition.
func TestDenseRate(t *testing.T) {
	for _, c := range []struct{ bits, rate, bound float64 }{
		{6, 0.0196, 0.0164}, {8, 0.00557, 0.00449}, {10, 0.00166, 0.00130}, {12, 0.00053, 0.00040}, {16, 6.4e-5, 4.6e-5},
	} {
		require.InEpsilon(t, c.rate, DenseRate(c.bits), 0.01)
		require.InEpsilon(t, c.bound, denseBound(c.bits), 0.01)
	}
	last := 1.0
	for bits := 1.0 / 64; bits < 40; bits *= 1.05 {
		rate := DenseRate(bits)
		require.Less(t, denseBound(bits), rate+1e-15)
		require.LessOrEqual(t, rate, last+1e-9)
		last = rate
	}
	require.Equal(t, 1.0, DenseRate(0.001))
	for _, wrong := range []float64{0, -1, math.NaN()} {
		require.True(t, math.IsNaN(DenseRate(wrong)))
		require.True(t, math.IsNaN(denseBound(wrong)))
	}
}

func TestDenseBits(t *testing.T) {
	for _, rate := range []float64{0.9, 0.1, 0.002, 1e-5} {
		require.InEpsilon(t, rate, DenseRate(DenseBits(rate)), 1e-4)
	}
	require.Zero(t, DenseBits(1))
	require.True(t, math.IsInf(DenseBits(1e-30), 1))
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

// denseBound is the least rate of any filter whose keys have each one line of 512
// bits and no more: E[2^(−512/X)], by [LowerBoundRate] for each line. It is NaN
// unless bitsPerKey > 0, and 1 below 1/64 bits.
func denseBound(bitsPerKey float64) float64 {
	rates := make([]float64, denseBands[len(denseBands)-1].keys+1)
	for keys := range rates {
		rates[keys] = math.Exp2(-lineSize / float64(keys))
	}
	return denseAverage(bitsPerKey, rates)
}
