package blockfilter_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
)

func policy(t testing.TB, text string) blockfilter.Policy {
	p, err := blockfilter.ParsePolicy(text)
	require.NoError(t, err)
	return p
}

// blockOf returns a block of a policy with a seed of its own.
func blockOf(p blockfilter.Policy, keys int) []byte {
	w := p.NewWriter()
	for len(manyKeys) < keys {
		manyKeys = append(manyKeys, key(len(manyKeys)))
	}
	for _, k := range manyKeys[:keys] {
		w.AddKey(k)
	}
	return w.Finish(nil)
}

// manyKeys are made once: that takes longer than a block.
var manyKeys [][]byte

// TestWrote: a policy knows its own blocks whatever their seed, and those of no
// policy that writes others.
func TestWrote(t *testing.T) {
	texts := []string{
		"bloom:7", "bloom:7.5", "bloom:7,k=3", "bloom:8,layout=flat", "bloom:8,layout=flat,scheme=classic",
		"twochoice:7", "twochoice:7.5", "twochoice:7,choices=3", "twochoice:7,k=3", "twochoice:8,layout=flat",
		"dense:7", "dense:7.5", "dense:9", "ribbon:7", "ribbon:7.5", "ribbon:8", "ribbon:9", "compressed:7", "compressed:7.5", "compressed:8", "compressed:9",
	}
	const keys = 5000
	for _, limit := range []string{"", ",max=4KiB", ",max=3KiB", ",max=2KiB"} {
		for _, family := range blockfilter.Families() {
			texts = append(texts, family+":8"+limit)
		}
	}
	for _, text := range texts {
		block := blockOf(policy(t, text).ForLevel(4), keys)
		for _, other := range texts {
			require.Equal(t, text == other, policy(t, other).Wrote(block), "%s wrote a block of %s", other, text)
		}
		require.False(t, policy(t, text).Wrote(block[1:]))
		require.False(t, policy(t, text).Wrote(nil))
		require.True(t, policy(t, text+",verify=true").Wrote(block), "the option leaves no trace")
	}
	require.True(t, policy(t, "twochoice:10,rounds=9").Wrote(blockOf(policy(t, "twochoice:10"), keys)))
	require.True(t, policy(t, "ribbon:8,max=1MiB").Wrote(blockOf(policy(t, "ribbon:8"), keys)), "a cap that is not reached")
}

// TestWroteWhateverTheSeed: 1,000 blocks of each policy, whose sizes differ
// with their seeds, and some of large tables. In capped tables of about a bit a
// key some seeds take a ribbon to a Bloom filter and others do not.
func TestWroteWhateverTheSeed(t *testing.T) {
	for _, c := range []struct {
		text, unlike         string
		fewest, most, blocks int // keys of a block, and blocks
	}{
		{"ribbon:8", "ribbon:9", 1, 1000, 1000},
		{"ribbon:7.5", "ribbon:7", 1, 1000, 1000},
		{"ribbon:8,max=1KiB", "ribbon:8,max=1500B", 1700, 2700, 1000},
		{"ribbon:4,max=1KiB", "ribbon:4,max=1500B", 6700, 8200, 100},
		{"compressed:8", "compressed:9", 1, 1000, 1000},
		{"compressed:7", "compressed:7.5", 1, 1000, 1000},
		{"compressed:8,max=1KiB", "compressed:8,max=1500B", 1700, 2700, 1000},
		{"ribbon:8", "ribbon:8.5", 100_000, 100_000, 10},
		{"compressed:8", "compressed:8.5", 100_000, 100_000, 10},
		{"compressed:8,max=64KiB", "compressed:8,max=65KiB", 100_000, 100_000, 10},
	} {
		p, other := policy(t, c.text), policy(t, c.unlike)
		for i := range c.blocks {
			keys := c.fewest + i*(c.most-c.fewest)/c.blocks
			block := blockOf(p, keys)
			require.True(t, p.Wrote(block), "%s, %d keys", c.text, keys)
			if keys > 900 { // in few lines unlike policies can write alike
				require.False(t, other.Wrote(block), "%s, %d keys of %s", c.unlike, keys, c.text)
			}
		}
	}
}

// TestExpectedSize: sizes are exactly as expected in some families, and nearly
// so in the others.
func TestExpectedSize(t *testing.T) {
	for text, tolerance := range map[string]float64{
		"bloom:10": 0, "bloom:9.3,layout=flat": 0, "bloom:10,max=1KiB": 0, "twochoice:10": 0,
		"twochoice:10,layout=flat": 0, "twochoice:10,max=1500": 0, "dense:10": 0, "dense:9.3": 0, "dense:10,max=1KiB": 0,
		"ribbon:8": 0.02, "ribbon:7.5": 0.02, "ribbon:8,max=1KiB": 0.05, "compressed:8": 0.02, "compressed:8,max=1KiB": 0.05,
	} {
		p := policy(t, text)
		for _, keys := range []int{0, 1, 10, 100, 1000, 10_000, 100_000} {
			size := len(blockOf(p, keys))
			slack := tolerance * float64(size)
			if tolerance > 0 && keys <= 1000 {
				slack = 32 + 0.2*float64(size)
			}
			require.InDelta(t, size, p.ExpectedSize(keys), slack, "%s, %d keys", text, keys)
		}
	}
}

// TestExpectedRate asks blocks of small and of capped tables. With 400,000
// queries at rates from 0.7 % the tolerance is 5.3 standard deviations or more.
// It is wider for tables of a few lines, whose load is no Poisson variable, and
// whose k is the best for fewer bits than they have.
func TestExpectedRate(t *testing.T) {
	for _, text := range []string{
		"bloom:8", "bloom:8,layout=flat", "bloom:8,max=1KiB", "twochoice:6", "twochoice:6,max=2KiB",
		"dense:6", "dense:8,max=1KiB", "dense:8,max=2KiB",
		"ribbon:7", "ribbon:8,max=1KiB", "ribbon:8,max=3KiB", "compressed:6", "compressed:8,max=2KiB",
	} {
		p := policy(t, text)
		for _, keys := range []int{100, 400, 3000, 20_000} {
			const blocks, queries = 20, 20_000
			positives := 0
			for range blocks {
				block := blockOf(p, keys)
				for i := range queries {
					if blockfilter.MayContain(block, key(1_000_000+i)) {
						positives++
					}
				}
			}
			tolerance := 0.1
			if keys < 1000 {
				tolerance = 0.35
			}
			require.InEpsilon(t, p.ExpectedRate(keys), float64(positives)/(blocks*queries), tolerance, "%s, %d keys", text, keys)
		}
		require.Zero(t, p.ExpectedRate(0))
	}
	require.InDelta(t, 0.85, policy(t, "ribbon:8,max=64KiB").ExpectedRate(1_000_000), 0.05, "a cap of half a bit a key")
}

func TestWithBitsPerKey(t *testing.T) {
	for text, want := range map[string]string{
		"bloom:10":                           "bloom:7.5",
		"bloom:1%,layout=flat,max=1MiB":      "bloom:7.5,layout=flat,max=1MiB",
		"twochoice:10,choices=3,verify=true": "twochoice:7.5,choices=3,verify=true",
		"ribbon:10":                          "ribbon:7.5",
		"dense:0.2%":                         "dense:7.5",
		"compressed:1%":                      "compressed:7.5",
	} {
		p := policy(t, text)
		got, err := p.WithBitsPerKey(7.5)
		require.NoError(t, err)
		require.Equal(t, want, got.String())
		require.Equal(t, policy(t, want), got)
		require.Equal(t, 7.5, got.BitsPerKey())
		require.Equal(t, text, p.String(), "the policy itself is unchanged")
		for _, wrong := range []float64{0, -1, 1000, math.NaN()} {
			_, err := p.WithBitsPerKey(wrong)
			require.ErrorContains(t, err, "bits per key must be")
		}
	}
}

func TestWithMaxBytes(t *testing.T) {
	p, err := policy(t, "ribbon:8").WithMaxBytes(64 << 10)
	require.NoError(t, err)
	require.Equal(t, policy(t, "ribbon:8,max=64KiB"), p)
	p, err = p.WithMaxBytes(0)
	require.NoError(t, err)
	require.Equal(t, policy(t, "ribbon:8"), p)
	beyond := int64(math.MaxInt32) + 1 // negative where an int has 32 bits
	for _, wrong := range []int{-1, 1, 1023, int(beyond)} {
		_, err := p.WithMaxBytes(wrong)
		require.ErrorContains(t, err, "the most bytes of a block are 1024 to")
	}
}

// TestNewPolicy: Options have the limits that the text has, and what String
// writes of them can be parsed.
func TestNewPolicy(t *testing.T) {
	for _, c := range []struct {
		blockfilter.Options
		text, wrong string
	}{
		{blockfilter.Options{Family: "bloom", BitsPerKey: 9.5, Probes: 4}, "bloom:9.5,k=4", ""},
		{blockfilter.Options{Family: "bloom", Percent: 0.1, Layout: "line", Scheme: "double"}, "bloom:0.1%", ""},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 0.5, Probes: 16}, "bloom:0.5,k=16", ""},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 100, Layout: "flat", Scheme: "classic", Probes: 100}, "bloom:100,layout=flat,scheme=classic,k=100", ""},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 0.5, Probes: 16, Choices: 4, Rounds: 100}, "twochoice:0.5,choices=4,rounds=100,k=16", ""},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 64, Layout: "flat", Scheme: "independent", Probes: 64, Choices: 2, Rounds: 1}, "twochoice:64,layout=flat,scheme=independent,choices=2,rounds=1,k=64", ""},
		{blockfilter.Options{Family: "ribbon", BitsPerKey: 32, MaxBytes: 1024, Verify: true}, "ribbon:32,max=1KiB,verify=true", ""},
		{blockfilter.Options{Family: "ribbon", Percent: 50}, "ribbon:50%", ""},
		{blockfilter.Options{Family: "compressed", BitsPerKey: 24, MaxBytes: math.MaxInt32}, "compressed:24,max=2147483647B", ""},
		{blockfilter.Options{Family: "dense", BitsPerKey: 32}, "dense:32", ""},

		{blockfilter.Options{}, "", `unknown family ""`},
		{blockfilter.Options{Family: "bloom"}, "", "bits per key must be above 0 and at most 100, not 0"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: math.NaN()}, "", "bits per key must be above 0 and at most 100, not NaN"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 101}, "", "bits per key must be above 0 and at most 100, not 101"},
		{blockfilter.Options{Family: "bloom", Percent: 100}, "", "a rate must be above 0% and below 100%, not 100%"},
		{blockfilter.Options{Family: "bloom", Percent: math.NaN()}, "", "a rate must be above 0% and below 100%, not NaN%"},
		{blockfilter.Options{Family: "bloom", Percent: 1e-300}, "", "bloom cannot reach a rate of 1e-300%"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Probes: 17}, "", "k must be from 1 to 16, not 17"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Probes: 101, Layout: "flat"}, "", "k must be from 1 to 100, not 101"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Scheme: "classic"}, "", "a scheme goes with layout=flat"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Layout: "round"}, "", `bloom has no layout "round" with scheme ""`},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Layout: "flat", Scheme: "triple"}, "", `bloom has no layout "flat" with scheme "triple"`},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, Rounds: 3}, "", "bloom has no option rounds"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, MaxBytes: 1023}, "", "1024 to 2147483647"},
		{blockfilter.Options{Family: "bloom", BitsPerKey: 10, MaxBytes: -1}, "", "1024 to 2147483647"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 65}, "", "bits per key must be above 0 and at most 64, not 65"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Layout: "flat", Scheme: "classic"}, "", `no layout "flat" with scheme "classic"`},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Choices: 5}, "", "choices must be from 2 to 4, not 5"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Choices: -1}, "", "choices must be from 2 to 4, not -1"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Choices: 1}, "", "a filter with one choice is of family bloom"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Rounds: 101}, "", "rounds must be from 1 to 100, not 101"},
		{blockfilter.Options{Family: "twochoice", BitsPerKey: 10, Probes: 65, Layout: "flat"}, "", "k must be from 1 to 64, not 65"},
		{blockfilter.Options{Family: "ribbon", BitsPerKey: 0.99}, "", "bits per key must be from 1 to 32, not 0.99"},
		{blockfilter.Options{Family: "ribbon", BitsPerKey: math.Inf(1)}, "", "bits per key must be from 1 to 32, not +Inf"},
		{blockfilter.Options{Family: "ribbon", BitsPerKey: 8, Probes: 1}, "", "ribbon has no option k"},
		{blockfilter.Options{Family: "compressed", BitsPerKey: 24.1}, "", "bits per key must be above 0 and at most 24, not 24.1"},
		{blockfilter.Options{Family: "dense", BitsPerKey: 32.5}, "", "bits per key must be above 0 and at most 32, not 32.5"},
	} {
		p, err := blockfilter.NewPolicy(c.Options)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.text, p.String())
		require.Equal(t, policy(t, c.text), p)
		require.Equal(t, c.Family, p.Family())
	}
}

// TestRates: a rate becomes the least bits per key that reach it.
func TestRates(t *testing.T) {
	for _, family := range blockfilter.Families() {
		for _, percent := range []float64{50, 1.12, 1, 0.1, 1e-4} {
			p := policy(t, fmt.Sprintf("%s:%v%%", family, percent))
			require.InEpsilon(t, percent/100, p.ExpectedRate(1<<24), 1e-3, p)
			require.LessOrEqual(t, p.ExpectedRate(1<<24), percent/100*(1+1e-9))
			fewer, err := p.WithBitsPerKey(p.BitsPerKey() - 0.004)
			if err == nil { // ribbon has no less than one bit
				require.Greater(t, fewer.ExpectedRate(1<<24), percent/100, p)
			}
		}
	}
	require.Equal(t, 1.0, policy(t, "ribbon:70%").BitsPerKey(), "less is not to be had")
	require.Equal(t, policy(t, "twochoice:1%").BitsPerKey(), policy(t, "twochoice:1%,rounds=9,max=1KiB").BitsPerKey())
}

// TestErrorsAreShort: an error does not repeat a long text.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for _, format := range []string{"%s", "bloom:%s", "bloom:10,%s", "bloom:10,%s=3", "bloom:10,k=%s", "bloom:10,max=%s", "bloom:10,layout=%s"} {
		_, err := blockfilter.ParsePolicy(fmt.Sprintf(format, long))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 400, format)
		require.NotContains(t, err.Error(), `\x`)
	}
}
