package twochoice

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

func TestByLine(t *testing.T) {
	for _, n := range filtertest.Sizes {
		for _, lines := range []int{1, 2, 63, 64, 65, 1000, 200_000} {
			hashes := filtertest.Hashes(n, 20)
			want := slices.Concat(hashes...)
			slices.SortStableFunc(want, func(a, b uint64) int { return line.Index(a, lines) - line.Index(b, lines) })

			got, last := make([]uint64, 0, n), -1
			for i, keys := range byLine(hashes, n, lines) {
				require.Greater(t, i, last)
				last = i
				for _, h := range keys {
					require.Equal(t, i, line.Index(h, lines))
				}
				got = append(got, keys...)
			}
			require.True(t, slices.Equal(want, got), "n=%d lines=%d", n, lines)
		}
	}
}

func TestByLineStops(t *testing.T) {
	for range byLine(filtertest.Hashes(1000, 21), 1000, 100) {
		break
	}
}
