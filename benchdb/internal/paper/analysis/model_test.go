package analysis

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

var models = []Model{Standard, Classic}

func TestRateAgreesWithExactAndRecursion(t *testing.T) {
	for _, m := range []int{2, 3, 5, 8, 13, 64, 100} {
		for _, n := range []int{1, 2, 3, 7, 20, 50} {
			for _, k := range []int{1, 2, 3, 5, 8, 13, 20} {
				if k > m {
					continue
				}
				for _, model := range models {
					name := fmt.Sprintf("%v, m=%d, n=%d, k=%d", model, m, n, k)
					exact, _ := model.Exact(m, n, k).Float64()
					require.InEpsilon(t, exact, model.Rate(m, n, k), 1e-12, name)
					require.InEpsilon(t, exact, model.Recursion(m, n, k), 1e-14, name)
				}
			}
		}
	}
}

func TestRateOfManyKeys(t *testing.T) {
	for _, model := range models {
		require.InEpsilon(t, model.Recursion(100_000, 10_000, 7), model.Rate(100_000, 10_000, 7), 1e-10, model)
	}
}

// Section 5 of Burns: at m = 1024 and n = 5 the estimated k = 142 costs 15.7 %
// more false positives in a standard filter, 106.9 % more in a classic one.
func TestBurnsCostOfTheEstimate(t *testing.T) {
	require.InDelta(t, 1.157, Standard.Rate(1024, 5, 142)/Standard.Rate(1024, 5, 133), 5e-4)
	require.InDelta(t, 2.069, Classic.Rate(1024, 5, 142)/Classic.Rate(1024, 5, 124), 5e-4)
}

func TestOutsideTheDomain(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {8, 0, 1}, {8, 1, 0}, {8, 1, 9}, {-8, 1, 1}} {
		for _, model := range models {
			require.True(t, math.IsNaN(model.Rate(c[0], c[1], c[2])))
		}
	}
}

func BenchmarkRate(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Standard.Rate(10*n, n, 7)
			}
		})
	}
}
