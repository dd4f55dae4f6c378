package theory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func scanProbes(f Model, m, n int) (k int, rate float64) {
	k, rate = 1, f.Rate(m, n, 1)
	for other := 2; other <= m; other++ {
		if better := f.Rate(m, n, other); better < rate {
			k, rate = other, better
		}
	}
	return k, rate
}

func TestBestProbesIsTheBest(t *testing.T) {
	for _, model := range models {
		for _, m := range []int{2, 3, 10, 37, 64} {
			for n := 1; n <= m; n += 1 + n/4 {
				k, rate := scanProbes(model, m, n)
				found, least := model.BestProbes(m, n)
				require.InEpsilon(t, rate, least, 1e-12, "%v, m = %d, n = %d", model, m, n)
				require.InDelta(t, k, found, 1, "k may differ between equal rates")
			}
		}
	}
}

func TestMostKeysAndFewestBits(t *testing.T) {
	for _, model := range models {
		for _, m := range []int{20, 100, 1000, 1_000_000} {
			for _, rate := range []float64{0.5, 0.1, 0.01, 1e-4} {
				name := fmt.Sprintf("%v, m = %d, rate = %v", model, m, rate)
				n := model.MostKeys(m, rate)
				if n > 0 {
					_, fits := model.BestProbes(m, n)
					require.LessOrEqual(t, fits, rate, name)
					least := model.FewestBits(n, rate)
					require.LessOrEqual(t, least, m, name)
					_, fits = model.BestProbes(least, n)
					require.LessOrEqual(t, fits, rate, name)
					_, short := model.BestProbes(least-1, n)
					require.Greater(t, short, rate, name)
				}
				_, over := model.BestProbes(m, n+1)
				require.Greater(t, over, rate, name)
			}
		}
	}
	require.Zero(t, Standard.MostKeys(2, 1e-9))
	require.Zero(t, Standard.MostKeys(100, 1))
	require.Zero(t, Standard.FewestBits(10, 0))
}

// The usual estimates are close for many keys (Burns, figure 8).
func TestEstimatesOfLargeFilters(t *testing.T) {
	require.InEpsilon(t, EstimateKeys(1e6, 0.01), Standard.MostKeys(1_000_000, 0.01), 0.002)
	require.InEpsilon(t, EstimateBits(1e5, 0.01), Classic.FewestBits(100_000, 0.01), 0.002)
}

func TestPeakEfficiencyIsThePeak(t *testing.T) {
	for _, model := range models {
		for _, k := range []int{1, 2, 3, 8, 20} {
			best := 0.0
			for n := range 150 {
				best = max(best, Efficiency(100, float64(n+1), model.Rate(100, n+1, k)))
			}
			_, efficiency := model.PeakEfficiency(100, k)
			require.InEpsilon(t, best, efficiency, 1e-12, "%v, k = %d", model, k)
			require.LessOrEqual(t, efficiency, model.MaxEfficiency(100)+1e-12)
		}
	}
}
