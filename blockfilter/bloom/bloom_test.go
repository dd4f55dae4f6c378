package bloom

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

var schemes = []Scheme{Double, Enhanced2, Enhanced3, Partition, Independent, Classic}

// configs returns the line layout and every scheme of the flat one.
func configs(bitsPerKey float64, k int) []Config {
	all := []Config{{BitsPerKey: bitsPerKey, Probes: k}}
	for _, s := range schemes {
		all = append(all, Config{BitsPerKey: bitsPerKey, Probes: k, Flat: true, Scheme: s})
	}
	return all
}

func build(c Config, hashes [][]uint64) []byte {
	return c.AppendBlock(nil, hashes, filtertest.Seed, 6)
}

func TestNoFalseNegatives(t *testing.T) {
	for _, bits := range []float64{0.1, 1, 9.5, 30} {
		for _, k := range []int{0, 1, 2, 16} {
			for _, c := range configs(bits, k) {
				for _, n := range filtertest.Sizes {
					hashes := filtertest.Hashes(n, 1)
					ask := filtertest.Asker(build(c, hashes), MayContain)
					filtertest.NoFalseNegatives(t, ask, hashes)
				}
			}
		}
	}
}

// TestRates holds the promised rates. False alarms: see filtertest.AtMost.
func TestRates(t *testing.T) {
	const keys, queries = 200_000, 4_000_000
	for _, c := range []struct {
		Config
		atMost float64
	}{
		{Config{BitsPerKey: 8}, 0.0236},
		{Config{BitsPerKey: 10}, 0.0099},
		{Config{BitsPerKey: 16}, 0.00087},
		{Config{BitsPerKey: 8, Flat: true}, 1.03 * 0.0216},
		{Config{BitsPerKey: 8, Flat: true, Scheme: Enhanced2}, 1.03 * 0.0216},
		{Config{BitsPerKey: 8, Flat: true, Scheme: Enhanced3}, 1.03 * 0.0216},
		{Config{BitsPerKey: 8, Flat: true, Scheme: Partition}, 1.03 * 0.0216},
		{Config{BitsPerKey: 8, Flat: true, Scheme: Independent}, 1.03 * 0.0216},
		{Config{BitsPerKey: 8, Flat: true, Scheme: Classic}, 1.03 * 0.0216},
		{Config{BitsPerKey: 12.5, Flat: true}, 1.03 * 0.002467},
	} {
		t.Run(fmt.Sprintf("%+v", c.Config), func(t *testing.T) {
			ask := filtertest.Asker(build(c.Config, filtertest.Hashes(keys, 2)), MayContain)
			positives := filtertest.Positives(ask, queries)
			filtertest.AtMost(t, c.atMost, positives, queries)
			// Rate is the limit, so a filter cannot be far below it either.
			filtertest.AtMost(t, 1.03*c.ExpectedRate(1<<24), positives, queries)
			require.Greater(t, float64(positives), 0.9*c.ExpectedRate(1<<24)*queries)
		})
	}
}

// TestSchemesFollowDefinition compares the recurrence of the flat schemes with
// the papers' closed forms.
func TestSchemesFollowDefinition(t *testing.T) {
	for _, m := range []uint64{1, 2, 3, 97, 1024, 80_001, 1<<40 + 7} {
		for _, h := range []uint64{0, 1, 0xdeadbeefcafef00d, math.MaxUint64} {
			for _, s := range []Scheme{Double, Enhanced2, Enhanced3, Partition} {
				const k = 7
				size := m
				if s == Partition {
					size = max(m/k, 1)
				}
				h1 := keyhash.Scale(keyhash.Mix(h), size)
				h2 := (1 + keyhash.Scale(keyhash.Mix(h+keyhash.R), max(size-1, 1))) % size
				p := newProbes(m, h, s, k)
				for i := range uint64(k) {
					f := map[Scheme]uint64{Enhanced2: i * i, Enhanced3: i * i * i}[s]
					want := (h1%size + i*(h2%size) + f) % size
					if s == Partition {
						want += i * size
					}
					require.Equal(t, want, p.next(), "m=%d h=%#x scheme=%d i=%d", m, h, s, i)
				}
			}
		}
	}
}

func TestClassicDrawsDistinctBits(t *testing.T) {
	for _, m := range []uint64{1, 5, 64, 1000} {
		for h := range uint64(200) {
			var buffer [MaxFlatProbes]uint64
			seen := map[uint64]bool{}
			for _, bit := range distinctBits(&buffer, m, h, 64) {
				require.Less(t, bit, m)
				require.False(t, seen[bit])
				seen[bit] = true
			}
			require.Len(t, seen, int(min(m, 64)))
		}
	}
}

// TestMoreProbesThanBits: the least flat filter has 64 bits, and the most
// probes are 100. A partitioned filter has no more parts than bits.
func TestMoreProbesThanBits(t *testing.T) {
	for _, c := range configs(1, 16)[1:] {
		c.Probes = MaxFlatProbes
		for _, n := range []int{0, 1, 2, 63, 64, 65, 100} {
			hashes := filtertest.Hashes(n, 7)
			filtertest.NoFalseNegatives(t, filtertest.Asker(build(c, hashes), MayContain), hashes)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, n := range filtertest.Sizes {
		hashes := filtertest.Hashes(n, 3)
		line := len(build(Config{BitsPerKey: 9.5}, hashes)) - trailer.Size
		require.Equal(t, max(64, int(math.Ceil(float64(n)*9.5/512))*64), line)

		flat := len(build(Config{BitsPerKey: 9.5, Flat: true}, hashes)) - trailer.Size
		require.Equal(t, max(8, int(math.Ceil(math.Ceil(float64(n)*9.5)/8))), flat)

		for _, c := range configs(10, 0) {
			c.MaxBytes = 1024
			require.LessOrEqual(t, len(build(c, hashes)), 1024)
		}
	}
}

// TestCapTakesFewerProbes: a capped filter is built with the k of the bits per
// key that it has, not of those it was asked for.
func TestCapTakesFewerProbes(t *testing.T) {
	block := build(Config{BitsPerKey: 16, MaxBytes: 6032}, filtertest.Hashes(10_000, 4))
	v, ok := trailer.Parse(block)
	require.True(t, ok)
	require.Equal(t, Config{BitsPerKey: 4.8}.probes(), v.Probes())
}

func TestAppendsToDst(t *testing.T) {
	for _, c := range configs(10, 0) {
		hashes := filtertest.Hashes(100, 5)
		alone := build(c, hashes)
		after := c.AppendBlock([]byte("prefix"), hashes, filtertest.Seed, 6)
		require.Equal(t, append([]byte("prefix"), alone...), after)
	}
}

func TestGolden(t *testing.T) {
	hashes := filtertest.Hashes(100, 6)
	for i, c := range configs(10, 0) {
		filtertest.Golden(t, fmt.Sprintf("%s.block", []string{
			"line", "double", "enhanced2", "enhanced3", "partition", "independent", "classic",
		}[i]), build(c, hashes))
	}
	filtertest.Golden(t, "line-k16.block", build(Config{BitsPerKey: 30, Probes: 16}, hashes))
}

func TestContradictionsAnswerTrue(t *testing.T) {
	for _, c := range configs(10, 0) {
		filtertest.Contradictions(t, func() []byte { return build(c, nil) }, MayContain)
		block := build(c, nil)
		v, _ := trailer.Parse(block)
		v[trailer.ParamsOffset+1] = line.MaxProbes
		if c.Flat {
			v[trailer.ParamsOffset+1] = MaxFlatProbes
		}
		require.False(t, MayContain(block, 1))
		v[trailer.ParamsOffset+1]++
		require.True(t, MayContain(block, 1), "one probe too many")
	}
}
