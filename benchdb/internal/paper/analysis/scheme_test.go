package analysis

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
)

// positions of a key with hashes h1 and h2, as a mask; Partition has k arrays
// of m/k bits one after the other.
func positions(s bloom.Scheme, m, k, h1, h2 int) (mask int) {
	for i := range k {
		switch s {
		case bloom.Partition:
			size := m / k
			mask |= 1 << (i*size + (h1+i*h2)%size)
		case bloom.Double:
			mask |= 1 << ((h1 + i*h2) % m)
		case bloom.Enhanced2:
			mask |= 1 << ((h1 + i*h2 + i*i) % m)
		case bloom.Enhanced3:
			mask |= 1 << ((h1 + i*h2 + i*i*i) % m)
		}
	}
	return mask
}

func TestSchemeRateByEnumeration(t *testing.T) {
	for _, c := range []struct {
		scheme  bloom.Scheme
		m, n, k int
	}{
		{bloom.Partition, 9, 2, 3}, {bloom.Partition, 12, 3, 3}, {bloom.Partition, 15, 2, 3},
		{bloom.Partition, 16, 2, 4}, {bloom.Double, 7, 2, 3}, {bloom.Double, 6, 2, 3},
		{bloom.Double, 8, 2, 4}, {bloom.Double, 5, 3, 2}, {bloom.Double, 12, 2, 3},
		{bloom.Enhanced2, 7, 2, 3}, {bloom.Enhanced2, 8, 2, 4},
		{bloom.Enhanced3, 7, 2, 3}, {bloom.Enhanced3, 9, 2, 4},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			hashes := c.m
			if c.scheme == bloom.Partition {
				hashes = c.m / c.k
			}
			var keys []int
			for h1 := range hashes {
				for h2 := 1; h2 < hashes; h2++ {
					keys = append(keys, positions(c.scheme, c.m, c.k, h1, h2))
				}
			}
			rate := positives(unions(keys, c.n), keys)
			require.InEpsilon(t, rate, SchemeRate(c.scheme, c.m, c.n, c.k), 1e-10)
		})
	}
}

// Filters too large for counting are fitted, which is held to counts where they
// can still be had.
func TestSchemeRateOfLargeFilters(t *testing.T) {
	for _, c := range []struct {
		scheme  bloom.Scheme
		m, n, k int
	}{
		{bloom.Double, 6400, 400, 11}, {bloom.Double, 12_000, 1000, 8}, {bloom.Double, 16_000, 1000, 11},
		{bloom.Enhanced2, 800, 100, 6}, {bloom.Enhanced3, 800, 100, 6},
		{bloom.Enhanced2, 1200, 100, 8}, {bloom.Enhanced3, 1200, 100, 8},
	} {
		require.InEpsilon(t, exact(c.scheme, c.m, c.n, c.k), SchemeRate(c.scheme, c.m, c.n, c.k), 0.002, "%+v", c)
	}
	require.Equal(t, SchemeRate(bloom.Partition, 798, 100, 6), SchemeRate(bloom.Partition, 803, 100, 6))
}

// The distance from the limit falls as 1/n (Kirsch and Mitzenmacher, Theorem
// 6.2): ten times the keys leave a tenth of it.
func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		scheme   bloom.Scheme
		from, to int
	}{
		{bloom.Partition, 96, 960}, {bloom.Double, 96, 960},
		{bloom.Enhanced2, 30, 120}, {bloom.Enhanced3, 30, 120},
	} {
		distance := func(n int) float64 {
			return (exact(c.scheme, 8*n, n, 6) - bloom.Rate(8, 6)) * float64(n)
		}
		require.InEpsilon(t, distance(c.from), distance(c.to), 0.35, "scheme %d", c.scheme)
	}
}

// Partitioned arrays with independent hashes have BoundU as exact rate; double
// hashing in them adds keys that coincide with the absent one in every probe.
func TestPartitionIsAboveIndependentPartition(t *testing.T) {
	require.Greater(t, exact(bloom.Partition, 600, 75, 6), BoundU(600, 75, 6))
}
