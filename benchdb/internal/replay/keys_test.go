package replay

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadKeys(t *testing.T) {
	for name, c := range map[string]struct {
		decode Encoding
		text   string
		want   []string
	}{
		"raw":         {nil, "a\n\nb c", []string{"a", "b c"}},
		"hex":         {Hex, "00ff\n6A\n", []string{"\x00\xff", "j"}},
		"base64":      {Base64, "AP8=\n", []string{"\x00\xff"}},
		"raw, binary": {nil, "\x00\xfe\n", []string{"\x00\xfe"}},
	} {
		keys, err := ReadKeys(strings.NewReader(c.text), "file", c.decode)
		require.NoError(t, err, name)
		require.Len(t, keys, len(c.want), name)
		for i, want := range c.want {
			require.Equal(t, want, string(keys[i]), name)
		}
	}
	for text, want := range map[string]string{"": "file: it has no keys", "00\nzz\n": "file: line 2", "0": "line 1"} {
		_, err := ReadKeys(strings.NewReader(text), "file", Hex)
		require.ErrorContains(t, err, want)
	}
}

func FuzzReadKeys(f *testing.F) {
	f.Add([]byte("a\nb"))
	f.Fuzz(func(t *testing.T, key []byte) {
		keys, err := ReadKeys(strings.NewReader(hex.EncodeToString(key)+"\n"), "file", Hex)
		if len(key) == 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, [][]byte{key}, keys)
		_, _ = ReadKeys(bytes.NewReader(key), "file", Base64) // no panic
	})
}

// TestCacheKeepsWhatIsAsked asks for one block again and again while others pass
// through, and for more blocks than there is room for.
func TestCacheKeepsWhatIsAsked(t *testing.T) {
	const blocks, size = 100, 10
	c := newCache(blocks*size, 1)
	index := blockID{1, topIndexOffset}
	require.False(t, c.ask(index, size))
	for n := range uint64(10 * blocks) {
		require.Equal(t, true, c.ask(index, size))
		require.False(t, c.ask(blockID{2, n}, size))
	}
	require.False(t, c.ask(blockID{3, 0}, blocks*size+1))
	require.False(t, c.ask(blockID{3, 0}, blocks*size+1), "larger than the cache")
	c = newCache(-4<<10, 4)
	require.False(t, c.ask(index, size))
	require.False(t, c.ask(index, size), "no cache")
}

// TestCacheHoldsItsShare asks for blocks at random: the share of hits is that of
// blocks that fit. Within 4 standard deviations of 100,000 draws, and 1 % of
// what filling up costs.
func TestCacheHoldsItsShare(t *testing.T) {
	const blocks, fit, asks = 1000, 400, 100_000
	c := newCache(fit*10, 4)
	random := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range asks {
		if c.ask(blockID{0, random.Uint64N(blocks)}, 10) {
			hits++
		}
	}
	require.InDelta(t, float64(fit)/blocks, float64(hits)/asks, 0.02)
	for _, s := range c {
		require.GreaterOrEqual(t, s.once.free+s.again.free, int64(0))
		require.Len(t, s.blocks, s.once.Len()+s.again.Len())
	}
}
