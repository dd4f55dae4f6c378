package theory

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// positions of a key with hashes h1 and h2, as a mask; Partition has k arrays
// of m/k bits one after the other.
func (s Scheme) positions(m, k, h1, h2 int) (mask int) {
	for i := range k {
		switch s {
		case Partition:
			size := m / k
			mask |= 1 << (i*size + (h1+i*h2)%size)
		case Double:
			mask |= 1 << ((h1 + i*h2) % m)
		case Enhanced2:
			mask |= 1 << ((h1 + i*h2 + i*i) % m)
		case Enhanced3:
			mask |= 1 << ((h1 + i*h2 + i*i*i) % m)
		}
	}
	return mask
}

func TestSchemeRateByEnumeration(t *testing.T) {
	for _, c := range []struct {
		scheme  Scheme
		m, n, k int
	}{
		{Partition, 9, 2, 3}, {Partition, 12, 3, 3}, {Partition, 15, 2, 3}, {Partition, 16, 2, 4},
		{Double, 7, 2, 3}, {Double, 6, 2, 3}, {Double, 8, 2, 4}, {Double, 5, 3, 2}, {Double, 12, 2, 3},
		{Enhanced2, 7, 2, 3}, {Enhanced2, 8, 2, 4}, {Enhanced3, 7, 2, 3}, {Enhanced3, 9, 2, 4},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			require.InEpsilon(t, c.scheme.enumerate(c.m, c.n, c.k, 0), c.scheme.exact(c.m, c.n, c.k, 0), 1e-10)
			require.InEpsilon(t, c.scheme.enumerate(c.m, c.n, c.k, 1), c.scheme.FilterRate(c.m, c.n, c.k), 1e-10)
		})
	}
}

// enumerate counts the positives over all filters and queries, with h2 from
// firstStep on.
func (s Scheme) enumerate(m, n, k, firstStep int) float64 {
	hashes := m
	if s == Partition {
		hashes = m / k
	}
	var keys []int
	for h1 := range hashes {
		for h2 := firstStep; h2 < hashes; h2++ {
			keys = append(keys, s.positions(m, k, h1, h2))
		}
	}
	filters := []int{0}
	for range n {
		var next []int
		for _, filter := range filters {
			for _, key := range keys {
				next = append(next, filter|key)
			}
		}
		filters = next
	}
	positives := 0
	for _, filter := range filters {
		for _, query := range keys {
			if query&^filter == 0 {
				positives++
			}
		}
	}
	return float64(positives) / float64(len(filters)*len(keys))
}

// Filters too large for counting are fitted, which is held to counts where they
// can still be had.
func TestFilterRateOfLargeFilters(t *testing.T) {
	for _, c := range []struct {
		scheme  Scheme
		m, n, k int
	}{
		{Double, 6400, 400, 11}, {Double, 12_000, 1000, 8}, {Double, 16_000, 1000, 11},
		{Enhanced2, 800, 100, 6}, {Enhanced3, 800, 100, 6}, {Enhanced2, 1200, 100, 8}, {Enhanced3, 1200, 100, 8},
	} {
		require.InEpsilon(t, c.scheme.exact(c.m, c.n, c.k, 1), c.scheme.FilterRate(c.m, c.n, c.k), 0.002, "%+v", c)
	}
	require.Equal(t, Standard.Rate(80_000, 10_000, 6), Independent.FilterRate(80_000, 10_000, 6))
	require.Equal(t, Partition.FilterRate(798, 100, 6), Partition.FilterRate(803, 100, 6))
	require.True(t, math.IsNaN(Partition.FilterRate(5, 1, 3)))
	require.True(t, math.IsNaN(Double.FilterRate(8, 0, 3)))
}

// The distance from the limit falls as 1/n (Kirsch and Mitzenmacher, Theorem
// 6.2): ten times the keys leave a tenth of it.
func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		scheme   Scheme
		from, to int
	}{{Independent, 100, 1000}, {Partition, 96, 960}, {Double, 96, 960}, {Enhanced2, 30, 120}, {Enhanced3, 30, 120}} {
		near := c.scheme.Convergence(8*c.from, c.from, 6) * float64(c.from)
		far := c.scheme.Convergence(8*c.to, c.to, 6) * float64(c.to)
		require.InEpsilon(t, near, far, 0.35, "scheme %d", c.scheme)
	}
}

// Partitioned arrays with independent hashes have BoundU as exact rate; double
// hashing in them adds keys that coincide with the absent one in every probe.
func TestPartitionIsAboveIndependentPartition(t *testing.T) {
	require.Greater(t, Partition.exact(600, 75, 6, 0), BoundU(600, 75, 6))
	require.False(t, math.IsNaN(Partition.exact(600, 75, 6, 0)))
}
