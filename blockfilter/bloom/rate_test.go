package bloom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// Simulated rates of lines with independent random probes, 400,000 keys.
func TestLineRateMatchesSimulation(t *testing.T) {
	for _, row := range []struct {
		bits float64
		k    int
		rate float64
	}{
		{8, 5, 0.02328}, {10, 6, 0.00966}, {12, 7, 0.00415}, {16, 9, 0.000846}, {20, 10, 0.000201},
	} {
		require.InEpsilon(t, row.rate, LineRate(row.bits, row.k), 0.03, "%v bits, k = %d", row.bits, row.k)
	}
}

// TestLineRateAveragesExactRates compares with a Markov chain: the number of
// bits that an absent key probes and no key before covers, averaged over the
// load of a line. All its terms are positive.
func TestLineRateAveragesExactRates(t *testing.T) {
	for _, bits := range []float64{1, 4, 9.5, 20, 40} {
		for _, k := range []int{1, 2, 6, 11, 16} {
			uncovered := make([]float64, k+1)
			uncovered[0] = 1
			for probe := range k {
				for d := probe + 1; d > 0; d-- {
					uncovered[d] = uncovered[d]*float64(d)/line.Bits + uncovered[d-1]*(1-float64(d-1)/line.Bits)
				}
				uncovered[0] = 0
			}
			load := line.Bits / bits
			average, weight := 0.0, math.Exp(-load)
			for j := 0; float64(j) < load+40*math.Sqrt(load); j++ {
				average += weight * uncovered[0]
				weight *= load / float64(j+1)
				for range k {
					for d := range k {
						uncovered[d] += uncovered[d+1] * float64(d+1) / line.Bits
						uncovered[d+1] *= 1 - float64(d+1)/line.Bits
					}
				}
			}
			require.InDelta(t, average, LineRate(bits, k), 1e-11, "%v bits, k = %d", bits, k)
		}
	}
}

// The limits of Kirsch and Mitzenmacher 2008, section 6, at the best k.
func TestRate(t *testing.T) {
	for _, row := range []struct {
		bits, rate float64
		k          int
	}{{4, 0.14689159766, 3}, {8, 0.02157714146, 6}, {12, 0.00314235035, 8}, {16, 0.00045871073, 11}} {
		require.InDelta(t, row.rate, Rate(row.bits, row.k), 5.1e-12)
		require.Equal(t, row.k, bestProbes(row.bits))
	}
	require.True(t, math.IsNaN(Rate(0, 1)))
	require.True(t, math.IsNaN(LineRate(0, 1)))
	require.True(t, math.IsNaN(LineRate(8, 0)))
	require.Equal(t, LineRate(8, 16), LineRate(8, 17))
}

func TestLineProbesIsTheBest(t *testing.T) {
	for bits := 0.25; bits <= 64; bits += 0.25 {
		best := 1
		for k := 2; k <= line.MaxProbes; k++ {
			if LineRate(bits, k) < LineRate(bits, best) {
				best = k
			}
		}
		require.Equal(t, best, lineProbes(bits), "%v bits", bits)
	}
}

// TestLineSteps computes the table: around each step, the rates of the two
// numbers of probes change places.
func TestLineSteps(t *testing.T) {
	for i, step := range lineSteps {
		k := i + 1
		below, above := step-0.0002, step+0.0002
		require.Less(t, LineRate(below, k), LineRate(below, k+1), "k=%d", k)
		require.Less(t, LineRate(above, k+1), LineRate(above, k), "k=%d", k)
	}
}

func BenchmarkLineRate(b *testing.B) {
	for b.Loop() {
		LineRate(10, 6)
	}
}
