package analysis

import (
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
				found, least := BestProbes(model, m, n)
				require.InEpsilon(t, rate, least, 1e-12, "%v, m = %d, n = %d", model, m, n)
				require.InDelta(t, k, found, 1, "k may differ between equal rates")
			}
		}
	}
}

func TestPeakEfficiencyIsThePeak(t *testing.T) {
	for _, model := range models {
		for _, k := range []int{1, 2, 3, 8, 20} {
			best := 0.0
			for n := range 150 {
				best = max(best, Efficiency(100, float64(n+1), model.Rate(100, n+1, k)))
			}
			_, efficiency := PeakEfficiency(model, 100, k)
			require.InEpsilon(t, best, efficiency, 1e-12, "%v, k = %d", model, k)
			require.LessOrEqual(t, efficiency, MaxEfficiency(model, 100)+1e-12)
		}
	}
}
