package theory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
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

// The chain of a line agrees with the average of exact rates of its loads.
func TestLineRateAveragesExactRates(t *testing.T) {
	const bits, k = 9.5, 6
	load := lineSize / bits
	average, weight := 0.0, math.Exp(-load)
	for j := 1; j < 200; j++ {
		weight *= load / float64(j)
		average += weight * Standard.Rate(lineSize, j, k)
	}
	require.InEpsilon(t, average, LineRate(bits, k), 1e-11)
}

func TestLineProbesIsTheBest(t *testing.T) {
	for bits := 0.25; bits <= 64; bits += 0.25 {
		best := 1
		for k := 2; k <= MaxLineProbes; k++ {
			if LineRate(bits, k) < LineRate(bits, best) {
				best = k
			}
		}
		require.Equal(t, best, LineProbes(bits), "%v bits", bits)
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

func TestLineBitsInverts(t *testing.T) {
	for _, bits := range []float64{0.5, 1, 4, 9.5, 10, 16, 24, 40, 63} {
		rate := LineRate(bits, LineProbes(bits))
		require.InDelta(t, bits, LineBits(rate), 1e-6)
	}
}

func BenchmarkLineRate(b *testing.B) {
	for b.Loop() {
		LineRate(10, 6)
	}
}
