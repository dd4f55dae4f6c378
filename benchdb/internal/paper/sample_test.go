package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestQuantile(t *testing.T) {
	for _, degrees := range []int{9, 19, 50, 99, 150, 199, 200, 500, 1000, 2000} {
		tail := distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.CDF(-quantile(degrees))
		require.InEpsilon(t, falseAlarm/2, tail, 0.01, "%d degrees of freedom", degrees)
	}
}

// TestTolerance has means of skewed outcomes stay within the tolerance, and
// those of another mean outside.
func TestTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		s := make(sample, 100)
		for i := range s {
			s[i] = rng.ExpFloat64()
		}
		require.InDelta(t, 1, s.mean(), s.tolerance())
		require.Greater(t, math.Abs(s.mean()-3), s.tolerance())
		require.Greater(t, s.toleranceBeside(100), s.tolerance())
	}
}

func TestTrials(t *testing.T) {
	s := Settings{Trials: 1000}
	require.Equal(t, 100, s.trials(1000))
	require.Equal(t, 10, s.trials(20))
}
