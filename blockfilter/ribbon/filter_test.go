package ribbon

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func build(c Config, hashes [][]uint64) []byte {
	return c.AppendBlock(nil, hashes, filtertest.Seed, 6)
}

func TestNoFalseNegatives(t *testing.T) {
	for _, bits := range []float64{1, 1.5, 4, 7, 7.3, 8, 8.99, 12, 16.5, 31.5, 32} {
		for _, n := range sizes {
			hashes := filtertest.Hashes(n, 1)
			ask := filtertest.Asker(build(Config{BitsPerKey: bits}, hashes), MayContain)
			filtertest.NoFalseNegatives(t, ask, hashes)
		}
	}
}

func TestDuplicates(t *testing.T) {
	for _, n := range []int{1, 64, 1000, 20_000} {
		hashes := filtertest.Hashes(n, 2)
		hashes = append(hashes, hashes...)
		ask := filtertest.Asker(build(Config{BitsPerKey: 8}, hashes), MayContain)
		filtertest.NoFalseNegatives(t, ask, hashes)
	}
}

// TestRates holds the rates to 3 % of those asked for. The positives among 8M
// questions of one filter are binomial, so a rate off by 3 % and Sigmas
// standard deviations is a false alarm with probability below 2e-7.
func TestRates(t *testing.T) {
	const keys, queries = 100_000, 8_000_000
	for _, bits := range []float64{4, 4.5, 7, 7.25, 8, 10} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			c := Config{BitsPerKey: bits}
			ask := filtertest.Asker(build(c, filtertest.Hashes(keys, 3)), MayContain)
			positives := filtertest.Positives(ask, queries)
			filtertest.AtMost(t, 1.03*c.rate(), positives, queries)
			mean := 0.97 * c.rate() * queries
			require.Greater(t, float64(positives), mean-filtertest.Sigmas*math.Sqrt(mean))
		})
	}
}

// TestSizes holds the promised sizes, trailer and all, against the bound of
// log2 of the inverse rate.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		n      int
		bits   float64
		factor float64
	}{
		{10_000, 4, 1.03}, {10_000, 7, 1.03}, {10_000, 8, 1.03}, {10_000, 10, 1.03},
		{100_000, 4, 1.01}, {100_000, 7, 1.01}, {100_000, 8, 1.01}, {100_000, 10, 1.01},
		{400_000, 4, 1.01}, {400_000, 8, 1.01},
		{100_000, 6.5, 1.02}, {100_000, 7.5, 1.02}, {100_000, 9.2, 1.02},
		// The mix of two lengths alone costs 1.9 % here.
		{100_000, 4.5, 1.03},
	} {
		config := Config{BitsPerKey: c.bits}
		bits := float64(len(build(config, filtertest.Hashes(c.n, 4)))*8) / float64(c.n)
		require.LessOrEqual(t, bits, -math.Log2(config.rate())*c.factor, "%+v", c)
	}
}

// TestSizeEstimate holds Size to its word.
func TestSizeEstimate(t *testing.T) {
	for _, n := range append([]int{100_000, 150_000}, sizes...) {
		for _, bits := range []float64{1, 4, 8.5, 16} {
			c := Config{BitsPerKey: bits}
			got := float64(len(build(c, filtertest.Hashes(n, 5))))
			require.InDelta(t, got, c.ExpectedSize(n), max(16*bits/8, 0.01*got), "n=%d bits=%v", n, bits)
		}
	}
}

// TestSmallerThanBloom: tables of any size are no larger than a Bloom filter of
// the same rate, but for the rounding of eight slots.
func TestSmallerThanBloom(t *testing.T) {
	for n := 1; n < 1000; n += 1 + n/10 {
		for _, bits := range []float64{4, 8, 10} {
			c := Config{BitsPerKey: bits}
			hashes := filtertest.Hashes(n, 6)
			require.LessOrEqual(t, len(build(c, hashes)), int(bits)+
				len(c.bloom().AppendBlock(nil, hashes, filtertest.Seed, 0)), "n=%d bits=%v", n, bits)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	for _, n := range []int{100, 1000, 20_000} {
		hashes := filtertest.Hashes(n, 7)
		for _, bits := range []float64{9.7, 6.2, 3, 1.1} {
			limit := int(bits/8*float64(n)) + 100
			block := build(Config{BitsPerKey: 10, MaxBytes: limit}, hashes)
			require.LessOrEqual(t, len(block), limit)
			require.Greater(t, float64(len(block)), 0.95*float64(limit)-80)
			v, _ := trailer.Parse(block)
			require.Equal(t, trailer.Ribbon, v.Family())
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
		}
	}
}

// TestFallsBackToBloom: less than a bit for each key is a Bloom filter.
func TestFallsBackToBloom(t *testing.T) {
	hashes := filtertest.Hashes(10_000, 8)
	block := build(Config{BitsPerKey: 10, MaxBytes: 1000}, hashes)
	require.LessOrEqual(t, len(block), 1000)
	v, _ := trailer.Parse(block)
	require.Equal(t, trailer.Bloom, v.Family())
	filtertest.NoFalseNegatives(t, filtertest.Asker(block, bloom.MayContain), hashes)

	c := Config{BitsPerKey: 7.5}
	require.InEpsilon(t, c.rate(), c.bloom().ExpectedRate(1<<24), 0.01)
}

func TestAppendsToDst(t *testing.T) {
	hashes := filtertest.Hashes(1000, 9)
	c := Config{BitsPerKey: 8}
	after := c.AppendBlock([]byte("prefix"), hashes, filtertest.Seed, 6)
	require.Equal(t, append([]byte("prefix"), build(c, hashes)...), after)
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		bits float64
	}{
		{"empty", 0, 8}, {"one-key", 1, 8}, {"one-layer", 100, 8}, {"two-layers", 1000, 7.5},
		{"three-layers", 15_000, 4}, {"wide", 200, 32},
	} {
		hashes := filtertest.Hashes(c.n, 10)
		block := build(Config{BitsPerKey: c.bits}, hashes)
		filtertest.Golden(t, c.name+".block", block)
		filtertest.Golden(t, c.name+"-cut.block", cut(t, block, c.bits*0.45))
		g := geometryOf(t, block)
		layers := 0
		for _, slots := range []uint64{g.first(), g.second(), g.last()} {
			layers += min(1, int(slots))
		}
		require.Equal(t, map[string]int{"empty": 0, "two-layers": 2, "three-layers": 3}[c.name]+
			map[string]int{"one-key": 1, "one-layer": 1, "wide": 1}[c.name], layers)
	}
}

func geometryOf(t testing.TB, block []byte) geometry {
	t.Helper()
	v, ok := trailer.Parse(block)
	require.True(t, ok)
	return parse(v)
}

// TestContradictionsAnswerTrue alters each field that MayContain relies on, in
// filters that answer false to nearly every question as they are.
func TestContradictionsAnswerTrue(t *testing.T) {
	const absent = 1 << 63
	for _, n := range []int{0, 1, 100, 1000, 20_000} {
		good := build(Config{BitsPerKey: 24}, filtertest.Hashes(n, 11))
		require.False(t, filtertest.Asker(good, MayContain)(absent))

		for name, alter := range map[string]func(body []byte, v *trailer.View) []byte{
			"nothing":      func([]byte, *trailer.View) []byte { return nil },
			"long":         func(b []byte, v *trailer.View) []byte { return append(b, 0) },
			"no columns":   func(b []byte, v *trailer.View) []byte { v[26] = 0; return b },
			"many columns": func(b []byte, v *trailer.View) []byte { v[26] = 33; return b },
			"33 columns":   func(b []byte, v *trailer.View) []byte { v[26], v[25] = 32, 1; return b },
			"extra":        func(b []byte, v *trailer.View) []byte { v[25] = 255; return b },
			"first layer":  func(b []byte, v *trailer.View) []byte { v[16]++; return b },
			"second layer": func(b []byte, v *trailer.View) []byte { v[19]++; return b },
			"last layer":   func(b []byte, v *trailer.View) []byte { v[22]++; return b },
			"huge":         func(b []byte, v *trailer.View) []byte { v[18], v[21], v[23] = 255, 255, 255; return b },
		} {
			if n == 0 && (name == "extra" || name == "nothing") {
				continue // columns of no slots: still the empty table
			}
			require.True(t, MayContain(filtertest.Altered(good, alter), absent), "%d keys: %s", n, name)
		}
	}
}

func TestMayContainAllocatesNothing(t *testing.T) {
	ask := filtertest.Asker(build(Config{BitsPerKey: 8.5}, filtertest.Hashes(20_000, 13)), MayContain)
	rng := rand.New(rand.NewPCG(5, 6))
	require.Zero(t, testing.AllocsPerRun(2000, func() { ask(rng.Uint64()) }))
}

// FuzzMayContain asks arbitrary bytes. Most have a trailer that fits no table;
// the fuzzer starts from blocks whose fields it can alter one by one.
func FuzzMayContain(f *testing.F) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000, 15_000} {
		for _, bits := range []float64{1, 4.5, 9} {
			f.Add(build(Config{BitsPerKey: bits}, filtertest.Hashes(n, 14)), uint64(n)<<50)
		}
	}
	f.Fuzz(func(t *testing.T, block []byte, h uint64) {
		before := bytes.Clone(block)
		got := MayContain(block, h)
		require.Equal(t, before, block)
		body, v, ok := trailer.Split(block)
		if !ok {
			require.True(t, got)
			return
		}
		if g := parse(v); !g.valid() || g.size() != uint64(len(body)) {
			require.True(t, got)
		}
	})
}
