package twochoice

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// configs returns both layouts with every number of choices.
func configs(bitsPerKey float64, k, rounds int) (all []Config) {
	for _, flat := range []bool{false, true} {
		for choices := 2; choices <= line.MaxChoices; choices++ {
			all = append(all, Config{BitsPerKey: bitsPerKey, Flat: flat, Choices: choices, Probes: k, Rounds: rounds})
		}
	}
	return all
}

// independents returns flat filters with a hash for each probe.
func independents(bitsPerKey float64, k, rounds int) (all []Config) {
	for _, c := range configs(bitsPerKey, k, rounds)[line.MaxChoices-1:] {
		c.Independent = true
		all = append(all, c)
	}
	return all
}

func mostProbes(c Config) int {
	if c.Flat {
		return MaxFlatProbes
	}
	return line.MaxProbes
}

func build(c Config, hashes [][]uint64) []byte {
	return c.AppendBlock(nil, hashes, filtertest.Seed, 6)
}

func TestNoFalseNegatives(t *testing.T) {
	for _, bits := range []float64{0.1, 1, 9.5, 30} {
		for _, k := range []int{0, 1, 16} {
			for _, c := range append(configs(bits, k, k%3), independents(bits, k, 1)...) {
				for _, n := range filtertest.Sizes {
					hashes := filtertest.Hashes(n, 1)
					ask := filtertest.Asker(build(c, hashes), MayContain)
					filtertest.NoFalseNegatives(t, ask, hashes)
				}
			}
		}
	}
}

// TestEqualHashes: keys may collide, and a writer drops only neighbours.
func TestEqualHashes(t *testing.T) {
	hashes := [][]uint64{slices.Repeat([]uint64{7, 1 << 63}, 3000)}
	for _, c := range configs(10, 0, 0) {
		ask := filtertest.Asker(build(c, hashes), MayContain)
		filtertest.NoFalseNegatives(t, ask, hashes)
	}
}

// TestRates holds the promised rates, with queries for 2,000 false positives;
// under -measure with a million keys and ten million queries. False alarms: see
// filtertest.AtMost.
func TestRates(t *testing.T) {
	lineKeys, flatKeys := 200_000, 40_000 // a flat filter has no lines to average over
	if *measure {
		lineKeys, flatKeys = 1_000_000, 1_000_000
	}
	hashes := map[bool][][]uint64{false: filtertest.Hashes(lineKeys, 2), true: filtertest.Hashes(flatKeys, 2)}
	for _, c := range []struct {
		flat   bool
		bits   float64
		atMost [5]float64 // by number of choices, in percent
	}{
		{false, 8, [5]float64{2: 1.70, 3: 1.53, 4: 1.50}},
		{false, 10, [5]float64{2: 0.655, 3: 0.57, 4: 0.54}},
		{false, 16, [5]float64{2: 0.051, 3: 0.041, 4: 0.038}},
		{true, 8, [5]float64{2: 1.51, 3: 1.31}},
		{true, 10, [5]float64{2: 0.53, 3: 0.44}},
		{true, 16, [5]float64{2: 0.0226, 3: 0.0182}},
	} {
		for choices, atMost := range c.atMost {
			if atMost == 0 {
				continue
			}
			config := Config{BitsPerKey: c.bits, Flat: c.flat, Choices: choices}
			t.Run(fmt.Sprintf("%+v", config), func(t *testing.T) {
				queries := int(min(4e6, 2000/config.rate()))
				if *measure {
					queries = 10_000_000
				}
				ask := filtertest.Asker(build(config, hashes[c.flat]), MayContain)
				positives := filtertest.Positives(ask, queries)
				t.Logf("%.4f %%", 100*float64(positives)/float64(queries))
				filtertest.AtMost(t, atMost/100, positives, queries)
				// The curve is measured: 3 % allow for its error and for this
				// filter's own, the spread of its lines' loads.
				filtertest.AtMost(t, 1.03*config.rate(), positives, queries)
				mean := 0.97 * config.rate() * float64(queries)
				require.Greater(t, float64(positives), mean-filtertest.Sigmas*math.Sqrt(mean))
			})
		}
	}
}

func TestMoreRoundsFewerOnes(t *testing.T) {
	hashes := filtertest.Hashes(20_000, 3)
	for _, flat := range []bool{false, true} {
		for choices := 2; choices <= line.MaxChoices; choices++ {
			// A round leaves each of some 100,000 ones with a chance of 1 % or
			// more of becoming zero: equality is out of the question.
			last := math.MaxInt
			for _, rounds := range []int{1, 2, 4, 8} {
				ones := ones(build(Config{BitsPerKey: 10, Flat: flat, Choices: choices, Probes: 8, Rounds: rounds}, hashes))
				require.Less(t, ones, last, "flat %v, %d choices, %d rounds", flat, choices, rounds)
				last = ones
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for _, n := range filtertest.Sizes {
		hashes := filtertest.Hashes(n, 4)
		line := len(build(Config{BitsPerKey: 9.5}, hashes)) - trailer.Size
		require.Equal(t, max(64, int(math.Ceil(float64(n)*9.5/512))*64), line)

		flat := len(build(Config{BitsPerKey: 9.5, Flat: true}, hashes)) - trailer.Size
		require.Equal(t, max(8, int(math.Ceil(math.Ceil(float64(n)*9.5)/8))), flat)

		for _, c := range configs(10, 0, 0) {
			c.MaxBytes = 1024
			block := build(c, hashes)
			require.LessOrEqual(t, len(block), 1024)
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
		}
	}
}

// TestCapTakesFewerProbes: a capped filter is built with the k of the bits per
// key that it has, not of those it was asked for.
func TestCapTakesFewerProbes(t *testing.T) {
	for _, flat := range []bool{false, true} {
		block := build(Config{BitsPerKey: 16, MaxBytes: 6032, Flat: flat}, filtertest.Hashes(10_000, 5))
		v, ok := trailer.Parse(block)
		require.True(t, ok)
		require.Equal(t, Config{BitsPerKey: 4.8, Flat: flat, Choices: 2}.bestProbes(), v.Probes())
	}
}

func TestAppendsToDst(t *testing.T) {
	for _, c := range configs(10, 0, 0) {
		hashes := filtertest.Hashes(100, 6)
		alone := build(c, hashes)
		after := c.AppendBlock([]byte("prefix"), hashes, filtertest.Seed, 6)
		require.Equal(t, append([]byte("prefix"), alone...), after)
	}
}

// TestChunksDoNotMatter: the block depends on the hashes and their order alone.
func TestChunksDoNotMatter(t *testing.T) {
	hashes := filtertest.Hashes(20_000, 7)
	for _, c := range configs(10, 0, 0) {
		require.True(t, bytes.Equal(build(c, hashes), build(c, [][]uint64{slices.Concat(hashes...)})))
	}
}

// TestMemory: 24 bytes a key at the peak, the hashes' 8 among them.
func TestMemory(t *testing.T) {
	const keys = 100_000
	hashes := filtertest.Hashes(keys, 8)
	for _, c := range []Config{{BitsPerKey: 10}, {BitsPerKey: 16, Choices: 4}, {BitsPerKey: 10, Flat: true}} {
		block := build(c, hashes)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		block = c.AppendBlock(block[:0], hashes, filtertest.Seed, 0)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(24-8)*keys, "%+v", c)
	}
}

func TestGolden(t *testing.T) {
	hashes := filtertest.Hashes(500, 9)
	for _, c := range configs(10, 0, 0) {
		name := fmt.Sprintf("%s-c%d.block", map[bool]string{false: "line", true: "flat"}[c.Flat], c.Choices)
		filtertest.Golden(t, name, build(c, hashes))
	}
	filtertest.Golden(t, "flat-c2-independent.block", build(independents(10, 0, 0)[0], hashes))
	filtertest.Golden(t, "line-k16-r7.block", build(Config{BitsPerKey: 20, Probes: 16, Rounds: 7}, hashes))
	filtertest.Golden(t, "flat-k64-r1.block", build(Config{BitsPerKey: 64, Flat: true, Probes: 64, Rounds: 1}, hashes))
}

// TestOneChoice: blocks of one choice are not written any more, and read. At
// 1 % the false positives are within Sigmas of the rate.
func TestOneChoice(t *testing.T) {
	hashes := filtertest.Hashes(500, 9)
	for _, name := range []string{"line-c1.block", "flat-c1.block"} {
		block, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		ask := filtertest.Asker(block, MayContain)
		filtertest.NoFalseNegatives(t, ask, hashes)
		const queries = 100_000
		positives := filtertest.Positives(ask, queries)
		filtertest.AtMost(t, 0.012, positives, queries)
		require.Greater(t, positives, 500)
	}
}

func TestContradictionsAnswerTrue(t *testing.T) {
	for _, c := range append(configs(10, 0, 0), independents(10, 0, 0)...) {
		filtertest.Contradictions(t, func() []byte { return build(c, nil) }, MayContain)
		block := build(c, nil)
		v, _ := trailer.Parse(block)
		v[trailer.ParamsOffset+1] = uint8(mostProbes(c))
		require.False(t, MayContain(block, 1))
		v[trailer.ParamsOffset+1]++
		require.True(t, MayContain(block, 1), "one probe too many")
	}
}
