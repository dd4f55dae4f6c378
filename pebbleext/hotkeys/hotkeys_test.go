package hotkeys

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHotKeysAgainstCounts: counts are never too low, and every key with a share
// of 2ε is found, with a count near the truth. For a count to be too high by
// ε·Total, keys with that many counts together must share all five of its
// counters, four of them by chance 1 in 547 each: below 1e-8.
func TestHotKeysAgainstCounts(t *testing.T) {
	const epsilon, asked = 0.01, 200_000
	h, err := New(epsilon)
	require.NoError(t, err)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, 1_000_000)
	truth := make(map[string]uint64)
	for range asked {
		key := fmt.Appendf(nil, "key%d", zipf.Uint64())
		truth[string(key)]++
		h.Add(key)
		key[0] = 'x' // Add keeps no key of its caller
	}
	require.EqualValues(t, asked, h.Total())

	found := make(map[string]uint64)
	top := h.Top(1000)
	require.Len(t, top, 100, "1/ε")
	for i, k := range top {
		found[string(k.Key)] = k.Count
		require.GreaterOrEqual(t, k.Count, truth[string(k.Key)])
		if i > 0 {
			require.LessOrEqual(t, k.Count, top[i-1].Count)
		}
	}
	hot := 0
	for key, n := range truth {
		if float64(n) >= 2*epsilon*asked {
			hot++
			require.Contains(t, found, key)
			require.LessOrEqual(t, found[key], n+epsilon*asked)
		}
	}
	require.Greater(t, hot, 3)
	require.Equal(t, top[:3], h.Top(3))
	require.Empty(t, h.Top(-1))

	h.Reset()
	require.Zero(t, h.Total())
	require.Empty(t, h.Top(10))
	h.Add([]byte("again"))
	require.Equal(t, []Key{{[]byte("again"), 1}}, h.Top(10))
}

func TestHotKeysErrors(t *testing.T) {
	for _, e := range []float64{0, -1, 1, 1e-9} {
		_, err := New(e)
		require.ErrorContains(t, err, "the error of a sketch must be from")
	}
}
