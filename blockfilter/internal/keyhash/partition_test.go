package keyhash_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

func TestByLine(t *testing.T) {
	for _, n := range filtertest.Sizes {
		for _, lines := range []int{1, 2, 63, 64, 65, 1000, 200_000} {
			hashes := filtertest.Hashes(n, 20)
			index := func(h uint64) int { return int(keyhash.Scale(h, uint64(lines))) }
			want := slices.Concat(hashes...)
			slices.SortStableFunc(want, func(a, b uint64) int { return index(a) - index(b) })

			got, next := make([]uint64, 0, n), 0
			for i, keys := range keyhash.ByLine(hashes, n, lines) {
				if i != next {
					t.Fatalf("line %d after %d", i, next-1)
				}
				next++
				for _, h := range keys {
					require.Equal(t, i, index(h))
				}
				got = append(got, keys...)
			}
			require.Equal(t, lines, next)
			require.True(t, slices.Equal(want, got), "n=%d lines=%d", n, lines)
		}
	}
}

func TestByLineStops(t *testing.T) {
	for range keyhash.ByLine(filtertest.Hashes(1000, 21), 1000, 100) {
		break
	}
}
