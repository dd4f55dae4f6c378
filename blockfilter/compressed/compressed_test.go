package compressed

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func build(c Config, hashes [][]uint64) []byte {
	return c.AppendBlock(nil, hashes, filtertest.Seed, 6)
}

func TestNoFalseNegatives(t *testing.T) {
	for _, bits := range []float64{0.01, 1, 4, 7.3, 8, 16, 24} {
		for _, n := range filtertest.Sizes {
			hashes := filtertest.Hashes(n, 1)
			filtertest.NoFalseNegatives(t, filtertest.Asker(build(Config{BitsPerKey: bits}, hashes), MayContain), hashes)
		}
	}
}

// TestUnevenHashes: nothing is lost even where all hashes fall in few lines or
// few buckets.
func TestUnevenHashes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, hash := range map[string]func(i int) uint64{
		"small":    func(i int) uint64 { return uint64(i) },
		"large":    func(i int) uint64 { return math.MaxUint64 - uint64(i) },
		"one line": func(int) uint64 { return random.Uint64() >> 12 },
		"two ends": func(i int) uint64 { return random.Uint64()>>20 - uint64(i%2) },
		"squared":  func(i int) uint64 { return random.Uint64() >> (i % 40) },
	} {
		t.Run(name, func(t *testing.T) {
			hashes := [][]uint64{make([]uint64, 20_000)}
			for i := range hashes[0] {
				hashes[0][i] = hash(i)
			}
			for _, bits := range []float64{1, 8, 16} {
				filtertest.NoFalseNegatives(t, filtertest.Asker(build(Config{BitsPerKey: bits}, hashes), MayContain), hashes)
			}
		})
	}
}

// TestRates holds the promised rates and sizes at a million keys. The keys and
// with them the sizes are fixed; for the rates' false alarms see
// filtertest.AtMost.
func TestRates(t *testing.T) {
	const keys, queries = 1_000_000, 4_000_000
	for _, c := range []struct {
		bitsPerKey, atMost, stored float64
	}{
		{5, 0.08, 5.2},
		{8, 0.0112, 8.2},
		{12, 0.0007, 12.2},
		{16, 0.000045, 16.3},
	} {
		t.Run(fmt.Sprint(c.bitsPerKey), func(t *testing.T) {
			config := Config{BitsPerKey: c.bitsPerKey}
			block := build(config, filtertest.Hashes(keys, 2))
			require.LessOrEqual(t, 8*float64(len(block))/keys, c.stored)

			positives := filtertest.Positives(filtertest.Asker(block, MayContain), queries)
			filtertest.AtMost(t, c.atMost, positives, queries)
			filtertest.AtMost(t, config.ExpectedRate(1<<24), positives, queries)
			expected := config.ExpectedRate(1<<24) * queries
			require.Greater(t, float64(positives), expected-filtertest.Sigmas*math.Sqrt(expected), "Rate promises too little")
		})
	}
}

// TestSmallTables: whole lines may cost bits, never the rate. See
// filtertest.AtMost.
func TestSmallTables(t *testing.T) {
	config := Config{BitsPerKey: 8}
	for _, n := range filtertest.Sizes {
		block := build(config, filtertest.Hashes(n, 3))
		const queries = 200_000
		positives := filtertest.Positives(filtertest.Asker(block, MayContain), queries)
		// How many of n keys share a slot is chance too; the keys are fixed,
		// and at most 10 % more slots are set than expected.
		filtertest.AtMost(t, 1.1*config.ExpectedRate(1<<24), positives, queries)
		require.LessOrEqual(t, len(block), 100+n*9/8, "%d keys", n)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	hashes := filtertest.Hashes(5000, 4)
	sorted := slices.Sorted(slices.Values(slices.Concat(hashes...)))
	require.Equal(t, build(Config{BitsPerKey: 8}, hashes), build(Config{BitsPerKey: 8}, [][]uint64{sorted}))
}

func TestCap(t *testing.T) {
	for _, n := range []int{0, 1, 500, 1000, 10_000, 100_000} {
		for _, most := range []int{1024, 1500, 20_000} {
			config, hashes := Config{BitsPerKey: 10, MaxBytes: most}, filtertest.Hashes(n, 5)
			block := build(config, hashes)
			require.LessOrEqual(t, len(block), most)
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
			if free := build(Config{BitsPerKey: 10}, hashes); len(free) <= most {
				require.Equal(t, free, block, "a cap that is not reached changes nothing")
			} else {
				require.Greater(t, len(block), most*7/10, "%d keys use most of %d bytes", n, most)
			}
		}
	}
}

// TestCapOutOfReach: a cap that no block keeps gives the smallest.
func TestCapOutOfReach(t *testing.T) {
	for _, most := range []int{1, 33, 100} {
		block := build(Config{BitsPerKey: 10, MaxBytes: most}, filtertest.Hashes(5000, 5))
		require.LessOrEqual(t, len(block), 282)
	}
}

func TestAppendsToDst(t *testing.T) {
	hashes := filtertest.Hashes(100, 6)
	config := Config{BitsPerKey: 8}
	after := config.AppendBlock([]byte("prefix"), hashes, filtertest.Seed, 6)
	require.Equal(t, append([]byte("prefix"), build(config, hashes)...), after)
}

func TestGolden(t *testing.T) {
	filtertest.Golden(t, "8.block", build(Config{BitsPerKey: 8}, filtertest.Hashes(1000, 7)))
	filtertest.Golden(t, "16.block", build(Config{BitsPerKey: 16}, filtertest.Hashes(100, 7)))
}

// TestContradictionsAnswerTrue alters each field that MayContain relies on, in
// a filter of no key, which answers false.
func TestContradictionsAnswerTrue(t *testing.T) {
	fresh := build(Config{BitsPerKey: 8}, nil)
	require.False(t, MayContain(fresh, 1))
	for name, alter := range map[string]func(body []byte, v *trailer.View) []byte{
		"no body":      func([]byte, *trailer.View) []byte { return nil },
		"short":        func(b []byte, _ *trailer.View) []byte { return b[:len(b)-1] },
		"long":         func(b []byte, _ *trailer.View) []byte { return append(bytes.Clone(b), 0) },
		"layout":       func(b []byte, v *trailer.View) []byte { v[25] = 1; return b },
		"no probe":     func(b []byte, v *trailer.View) []byte { v[26] = 0; return b },
		"two probes":   func(b []byte, v *trailer.View) []byte { v[26] = 2; return b },
		"two choices":  func(b []byte, v *trailer.View) []byte { v[27] = 2; return b },
		"no geometry":  func(b []byte, v *trailer.View) []byte { clear(v[16:24]); return b },
		"more lines":   func(b []byte, v *trailer.View) []byte { v[16]++; return b },
		"wide buckets": func(b []byte, v *trailer.View) []byte { v[19] |= 31; return b },
	} {
		require.True(t, MayContain(filtertest.Altered(fresh, alter), 1), name)
	}
}

func TestAllocations(t *testing.T) {
	hashes := filtertest.Hashes(10_000, 8)
	block := build(Config{BitsPerKey: 8}, hashes)
	h := uint64(0)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		MayContain(block, h)
		MayContain(block[:10], h)
		h += 1e15
	}))
}

// FuzzMayContain asks arbitrary bytes with an arbitrary geometry.
func FuzzMayContain(f *testing.F) {
	for _, bits := range []float64{1, 8, 16} {
		body, v, _ := trailer.Split(build(Config{BitsPerKey: bits}, filtertest.Hashes(500, 9)))
		f.Add(bytes.Clone(body), v.Geometry(), uint64(1))
	}
	f.Add(bytes.Repeat([]byte{0xff}, 100), uint64(1|1<<24), uint64(1))
	f.Fuzz(func(t *testing.T, body []byte, geometry, h uint64) {
		shape := trailer.Shape{Family: trailer.Compressed, Params: [3]uint8{0, 1, 1}, Geometry: geometry}
		block := shape.Append(slices.Clip(body), 0, 0, 0)
		for range 16 {
			MayContain(block, h)
			h = h<<4 | h>>60
		}
	})
}
