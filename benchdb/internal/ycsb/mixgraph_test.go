package ycsb

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// generalizedPareto is P(X <= x).
func generalizedPareto(x, k, sigma float64) float64 {
	return 1 - math.Pow(1+k*max(x, 0)/sigma, -1/k)
}

// requirePareto draws numbers and fails if they are not those of a generalized
// Pareto distribution that is rounded up and wrapped at a limit. Ends are those of
// the test's cells.
func requirePareto(t *testing.T, k, sigma float64, limit int, ends []int, draw func() int) {
	t.Helper()
	const draws, far = 200_000, 1_000_000
	counts := make([]int, len(ends))
	for range draws {
		i, _ := slices.BinarySearch(ends, draw())
		counts[i]++
	}
	chiSquare(t, counts, func(i int) float64 {
		first, p := 0, 0.0
		if i > 0 {
			first = ends[i-1]
		}
		for x := 0; x < far; x += limit {
			p += generalizedPareto(float64(x+ends[i]), k, sigma) - generalizedPareto(float64(x+first), k, sigma)
		}
		return p + (1-generalizedPareto(far, k, sigma))*float64(ends[i]-first)/float64(limit) // far away all are alike
	})
}

func TestMixgraphSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	requirePareto(t, 0.2615, 25.45, 1024, []int{10, 11, 15, 20, 25, 30, 40, 50, 60, 80, 100, 130, 170, 220, 300, 500, 1024},
		func() int { return valueSize(rng) })
	requirePareto(t, 2.517, 14.236, 10_000, []int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000},
		func() int { return scanLength(rng) })
}

// The popularity of ranges is a·e^(bi) + c·e^(di), in some order; seeds of keys
// follow a·s^b; and keys of a range lie beside each other.
func TestMixgraphKeys(t *testing.T) {
	const records, draws = 30_000, 300_000
	w, err := Parse("mixgraph")
	require.NoError(t, err)
	all := NewRecords(records)
	g := NewGenerator(w, all, draws, 3, 0, Keys(0), nil)
	rank := make([]int, records)
	for i, n := range all.inOrder(Keys(0)) {
		rank[n] = i
		if i > 0 {
			require.Less(t, string(Keys(0).AppendAt(nil, Keys(0).place(all.ranked[i-1]))), string(Keys(0).AppendAt(nil, Keys(0).place(n))))
		}
	}
	counts := make([]int, keyRanges)
	for range draws {
		counts[rank[g.Next().Number]/(records/keyRanges)]++
	}
	sum, shares := 0.0, make([]float64, keyRanges)
	for i := range shares {
		x := float64(i + 1)
		shares[i] = 14.18*math.Exp(-2.917*x) + 0.0164*math.Exp(-0.08082*x)
		sum += shares[i]
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	// Sorting both alike makes the statistic least.
	chiSquare(t, counts, func(i int) float64 { return shares[i] / sum })

	rng := rand.New(rand.NewPCG(1, 4))
	for _, s := range []float64{1, 10, 1000, 1e5, 1e7} {
		below := 0
		for range draws {
			if float64(keySeed(rng)) <= s {
				below++
			}
		}
		requireShare(t, 0.002312*math.Pow(s, 0.3467), below, draws)
	}
}

// Values of any size are those of their record.
func TestMixgraphWritesValues(t *testing.T) {
	v := NewValues(43, 1)
	require.Len(t, v.OfSize(7, maxValueSize), maxValueSize)
	require.Equal(t, v.Of(7), v.OfSize(7, maxValueSize)[:43])
	w, err := Parse("mixgraph")
	require.NoError(t, err)
	g := NewGenerator(w, NewRecords(1000), 1000, 1, 0, Keys(48), nil)
	for range 10_000 {
		switch op := g.Next(); op.Kind {
		case Update:
			require.LessOrEqual(t, op.ValueSize, maxValueSize)
		default:
			require.Zero(t, op.ValueSize)
			require.Less(t, op.Length, maxScanLength)
		}
	}
}
