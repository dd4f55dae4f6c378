// Package filtertest has what the tests of all families share.
package filtertest

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Seed is the seed of golden blocks.
const Seed = 0x5eed

// Sizes are numbers of keys around the edges of words, lines and chunks.
var Sizes = []int{0, 1, 2, 3, 7, 8, 50, 63, 64, 65, 127, 128, 500, 1023, 1024, 4095, 4096, 4097, 10_000}

// Hashes returns n random key hashes in chunks of uneven length. Different
// streams have no hash in common but by chance (n²/2⁶⁴).
func Hashes(n int, stream uint64) [][]uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), stream))
	all := make([]uint64, n)
	for i := range all {
		all[i] = rng.Uint64()
	}
	var chunks [][]uint64
	for len(all) > 0 {
		length := min(len(all), 1+rng.IntN(5000))
		chunks = append(chunks, all[:length])
		all = all[length:]
	}
	return chunks
}

// Golden compares block with testdata/name, or writes that file under -update.
func Golden(t *testing.T, name string, block []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, block, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, block, "%s: blocks written once are read forever", name)
}

// Query is a family's MayContain.
type Query = func(block []byte, h uint64) bool

// Asker returns a function that asks a block for a hash.
func Asker(block []byte, q Query) func(h uint64) bool {
	return func(h uint64) bool { return q(block, h) }
}

// NoFalseNegatives fails unless ask answers true for every hash.
func NoFalseNegatives(t *testing.T, ask func(h uint64) bool, hashes [][]uint64) {
	t.Helper()
	for _, chunk := range hashes {
		for _, h := range chunk {
			if !ask(h) {
				require.Failf(t, "false negative", "hash %#x", h)
			}
		}
	}
}

// Positives returns how many of n random hashes ask answers true for.
func Positives(ask func(h uint64) bool, n int) int {
	rng := rand.New(rand.NewPCG(uint64(n), 1<<32))
	positives := 0
	for range n {
		if ask(rng.Uint64()) {
			positives++
		}
	}
	return positives
}

// Sigmas is the width of the tolerance in tests of rates: a sum of many
// independent questions exceeds it with probability 1e-7.
const Sigmas = 5.2

// AtMost fails if positives of n questions are more than a rate explains:
// their number is binomial, so beyond Sigmas standard deviations a false alarm
// has a probability below 1e-7.
func AtMost(t *testing.T, rate float64, positives, n int) {
	t.Helper()
	mean := rate * float64(n)
	limit := mean + Sigmas*math.Sqrt(mean)
	require.LessOrEqual(t, float64(positives), limit, "rate %.4g %%, allowed %.4g %%",
		100*float64(positives)/float64(n), 100*rate)
}

// Contradictions alters each field of a block that the Bloom families rely on,
// and fails unless q answers true for each. The blocks that build returns have
// no key, so that they answer false as they are.
func Contradictions(t *testing.T, build func() []byte, q Query) {
	t.Helper()
	require.False(t, q(build(), 1))
	for name, alter := range map[string]func(body []byte, v *trailer.View) []byte{
		"no bits":      func([]byte, *trailer.View) []byte { return nil },
		"short":        func(b []byte, _ *trailer.View) []byte { return b[:len(b)-1] },
		"layout":       func(b []byte, v *trailer.View) []byte { v[25] = 200; return b },
		"no probes":    func(b []byte, v *trailer.View) []byte { v[26] = 0; return b },
		"many probes":  func(b []byte, v *trailer.View) []byte { v[26] = 101; return b },
		"no choices":   func(b []byte, v *trailer.View) []byte { v[27] = 0; return b },
		"many choices": func(b []byte, v *trailer.View) []byte { v[27] = 5; return b },
		"no geometry":  func(b []byte, v *trailer.View) []byte { clear(v[16:24]); return b },
		"huge":         func(b []byte, v *trailer.View) []byte { v[23] = 255; return b },
		"all ones":     func(b []byte, v *trailer.View) []byte { copy(v[16:24], "\xff\xff\xff\xff\xff\xff\xff\xff"); return b },
		// Geometries whose size is 0 modulo 2^64, in bytes or in bits, without
		// a body.
		"nothing at all":     func(_ []byte, v *trailer.View) []byte { clear(v[16:24]); return nil },
		"2^58 and no bits":   func(_ []byte, v *trailer.View) []byte { copy(v[16:24], "\x00\x00\x00\x00\x00\x00\x00\x04"); return nil },
		"all ones, no bits":  func(_ []byte, v *trailer.View) []byte { copy(v[16:24], "\xff\xff\xff\xff\xff\xff\xff\xff"); return nil },
		"2^64-7 and no bits": func(_ []byte, v *trailer.View) []byte { copy(v[16:24], "\xf9\xff\xff\xff\xff\xff\xff\xff"); return nil },
	} {
		require.True(t, q(Altered(build(), alter), 1), name)
	}
	require.True(t, q(build()[1:][:trailer.Size-1], 1), "no trailer")
}

// Altered returns a copy of block with an altered body and trailer.
func Altered(block []byte, alter func(body []byte, v *trailer.View) []byte) []byte {
	body, v, _ := trailer.Split(bytes.Clone(block))
	end := *v
	return append(slices.Clip(alter(body, &end)), end[:]...)
}
