package pebbleext

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHotKeysAgainstCounts: counts are never too low, and every key with a share
// of 2ε is found, with a count near the truth. For a count to be too high by
// ε·Total, keys with that many counts together must share all five of its
// counters, four of them by chance 1 in 547 each: below 1e-8.
func TestHotKeysAgainstCounts(t *testing.T) {
	const epsilon, asked = 0.01, 200_000
	h, err := NewHotKeys(epsilon)
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
	require.Equal(t, []HotKey{{[]byte("again"), 1}}, h.Top(10))
}

func TestHotKeysErrors(t *testing.T) {
	for _, e := range []float64{0, -1, 1, 1e-9} {
		_, err := NewHotKeys(e)
		require.ErrorContains(t, err, "the error of a sketch must be from")
	}
}

// TestReaderCountsAbsentKeys: every way to look keys up counts those that are
// absent, concurrently.
func TestReaderCountsAbsentKeys(t *testing.T) {
	db := newStore(t, nil)
	keys := fill(t, db, 100, 10)
	hot, err := NewHotKeys(0.01)
	require.NoError(t, err)
	r := NewReader(db, nil, WithHotAbsentKeys(hot))
	absent := []byte("key00007x")
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			_ = closed(r.Get(absent))
			_, _ = r.Has(absent)
			_ = r.GetMany([][]byte{absent, keys[1]}, func(int, []byte) error { return nil })
			_ = r.HasMany([][]byte{absent, keys[2]}, func(int) {})
			_ = closed(r.Get(keys[3]))
		})
	}
	workers.Wait()
	require.Equal(t, []HotKey{{absent, 16}}, hot.Top(10))

	manyHits(r, keys) // and by pebble.DB.Get
	_ = closed(r.Get(absent))
	require.EqualValues(t, 17, hot.Total())
}
