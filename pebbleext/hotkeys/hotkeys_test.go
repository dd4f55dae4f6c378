package hotkeys

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHotKeysAgainstCounts: counts are never too low, and every key with a
// share of 2ε is found, with a count near the truth. For a count to be too high
// by ε·Total, keys with that many counts together must share all five of its
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

	found := make(map[string]Key)
	top := h.Top(1000)
	require.Len(t, top, 100, "1/ε")
	for i, k := range top {
		found[string(k.Key)] = k
		require.GreaterOrEqual(t, k.Count, truth[string(k.Key)])
		require.LessOrEqual(t, k.Count-k.Error, truth[string(k.Key)])
		require.Len(t, k.Key, k.Length)
		if i > 0 {
			require.LessOrEqual(t, k.Count, top[i-1].Count)
		}
	}
	hot := 0
	for key, n := range truth {
		if float64(n) >= 2*epsilon*asked {
			hot++
			require.Less(t, float64(found[key].Error), epsilon*asked)
			require.Contains(t, found, key)
			require.LessOrEqual(t, found[key].Count, n+epsilon*asked)
		}
	}
	require.Greater(t, hot, 3)
	require.Equal(t, top[:3], h.Top(3))
	require.Empty(t, h.Top(-1))

	h.Reset()
	require.Zero(t, h.Total())
	require.Empty(t, h.Top(10))
	h.Add([]byte("again"))
	require.Equal(t, []Key{{Key: []byte("again"), Length: 5, Count: 1}}, h.Top(10))
}

// TestLongKeys: keys that differ at their ends only are told apart, and take no
// more memory than others.
func TestLongKeys(t *testing.T) {
	h, err := New(0.01)
	require.NoError(t, err)
	key := make([]byte, 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 300 {
		key[len(key)-1] = byte(i % 100)
		h.Add(key)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(200<<10))
	top := h.Top(1000)
	require.Len(t, top, 100)
	for _, k := range top {
		require.Equal(t, key[:MaxKeyBytes], k.Key)
		require.Equal(t, len(key), k.Length)
		require.EqualValues(t, 3, k.Count-k.Error)
	}
}

// TestErrorTellsHotFromRandom: among random keys, all asked once, some have
// large counts by chance, and an error that says so.
func TestErrorTellsHotFromRandom(t *testing.T) {
	h, err := New(0.01)
	require.NoError(t, err)
	for i := range 100_000 {
		h.Add(fmt.Appendf(nil, "random%d", i))
		if i%10 == 0 {
			h.Add([]byte("hot"))
		}
	}
	for _, k := range h.Top(100) {
		if string(k.Key) == "hot" {
			require.GreaterOrEqual(t, k.Count, uint64(10_000))
			require.Less(t, k.Error, k.Count/10)
		} else {
			require.EqualValues(t, 1, k.Count-k.Error, "%s", k.Key)
			require.Greater(t, k.Count, uint64(50))
		}
	}
	require.Equal(t, "hot", string(h.Top(1)[0].Key))
}

func TestHotKeysErrors(t *testing.T) {
	for _, e := range []float64{0, -1, 1, 1e-9} {
		_, err := New(e)
		require.ErrorContains(t, err, "the error of a sketch must be from")
	}
}
