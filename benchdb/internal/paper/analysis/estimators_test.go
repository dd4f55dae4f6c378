package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysInvertsTheMean(t *testing.T) {
	for _, model := range models {
		for _, n := range []int{1, 10, 100, 500} {
			mean, _ := Ones(model, 1000, n, 7)
			require.InEpsilon(t, n, Keys(model, 1000, 7, mean), 1e-9)
		}
	}
	require.Zero(t, Keys(Standard, 1000, 7, 0))
	require.True(t, math.IsInf(Keys(Standard, 1000, 7, 1000), 1))
}

// Two real filters of 700 keys each that share 200. The bounds are six standard
// deviations (a false alarm once in 5e8), as the doc comment of Keys states
// one; the intersection adds three such errors.
func TestOverlapOfFilters(t *testing.T) {
	const m, k = 10_000, 7
	random := rand.New(rand.NewPCG(1, 2))
	var first, second [m]bool
	for key := range 1200 {
		for range k {
			position := random.IntN(m)
			if key < 700 {
				first[position] = true
			}
			if key >= 500 {
				second[position] = true
			}
		}
	}
	var ones [3]float64
	for i := range m {
		for j, one := range []bool{first[i], second[i], first[i] && second[i]} {
			if one {
				ones[j]++
			}
		}
	}
	deviation := 6 * 0.08 * math.Sqrt(m)
	require.InDelta(t, 700, Keys(Standard, m, k, ones[0]), deviation)
	union, intersection := Overlap(m, k, ones[0], ones[1], ones[2])
	require.InDelta(t, 1200, union, deviation)
	require.InDelta(t, 200, intersection, 3*deviation)
}
