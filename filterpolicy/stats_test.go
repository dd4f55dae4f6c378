package filterpolicy

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
)

func blockOf(t *testing.T, text string, level, keys int) []byte {
	p, err := Parse(text)
	require.NoError(t, err)
	policy := p.(*Policy)
	if level >= 0 {
		policy = policy.ForLevel(level)
	}
	w := policy.NewWriter(pebble.TableFilter)
	for i := range keys {
		w.AddKey(numbered(i))
	}
	return w.Finish(nil)
}

func numbered(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

// TestCounterCounts asks filters of two levels and of none. Counts and rates
// may be six standard deviations off, with a probability below 1e-8 each.
func TestCounterCounts(t *testing.T) {
	const keys, absent = 20_000, 1_000_000
	c, policy := newCounter()
	require.Empty(t, c.Stats())
	blocks := [][]byte{
		blockOf(t, "bloom:4", 0, keys), blockOf(t, "ribbon:3", 6, keys), blockOf(t, "bloom:4", -1, keys),
	}
	truth := make([]LevelStats, len(blocks))
	for i, block := range blocks {
		for j := range keys + absent {
			if policy.MayContain(pebble.TableFilter, block, numbered(j)) {
				truth[i].Positives++
			} else {
				truth[i].Skips++
			}
		}
	}
	policy.MayContain(pebble.TableFilter, []byte("malformed"), []byte("key"))

	stats := c.Stats()
	require.Len(t, stats, len(blocks))
	for i, want := range []LevelStats{{Level: 0, Family: "bloom"}, {Level: 6, Family: "ribbon"}, {Level: -1, Family: "bloom"}} {
		got := stats[i]
		require.Equal(t, want, LevelStats{Level: got.Level, Family: got.Family})
		for _, n := range [][2]uint64{{truth[i].Skips, got.Skips}, {truth[i].Positives, got.Positives}} {
			deviation := 6 * math.Sqrt(float64(n[0])*blockfilter.SampleEvery)
			require.InDelta(t, n[0], n[1], deviation, "%+v", got)
		}
		require.Equal(t, got.Skips+got.Positives, got.Queries())
		require.Equal(t, got.Queries()/blockfilter.SampleEvery*blockfilter.TestsPerAnswer, got.Tests)
		absentRate := float64(truth[i].Positives-keys) / absent
		low, high := got.RateInterval(6)
		require.True(t, low < absentRate && absentRate < high, "%v is not from %v to %v", absentRate, low, high)
		require.InDelta(t, absentRate, got.FalsePositiveRate(), high-low)
	}
}

// newCounter returns a Counter and the policy by which stores count there.
func newCounter() (*Counter, pebble.FilterPolicy) {
	c := NewCounter()
	var opts pebble.Options
	c.CountIn(&opts)
	return c, opts.Filters[Name]
}

// TestRateInterval checks figures of Newcombe, "Two-sided confidence intervals
// for the single proportion", 1998, Table I.
func TestRateInterval(t *testing.T) {
	for _, c := range []struct {
		falsePositives, tests uint64
		low, high             float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		low, high := LevelStats{Tests: c.tests, FalsePositives: c.falsePositives}.RateInterval(1.959964)
		require.InDelta(t, c.low, low, 5e-5)
		require.InDelta(t, c.high, high, 5e-5)
	}
	low, high := LevelStats{}.RateInterval(2)
	require.Equal(t, []float64{0, 1}, []float64{low, high}, "nothing is known")
	require.Zero(t, LevelStats{}.FalsePositiveRate())
}

// TestCounterConcurrently is for the race detector.
func TestCounterConcurrently(t *testing.T) {
	block := blockOf(t, "twochoice:10", 4, 1000)
	c, policy := newCounter()
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := range 20_000 {
				if !policy.MayContain(pebble.TableFilter, block, numbered(i)) && i < 1000 {
					t.Error("false negative")
				}
				if i%1000 == 0 {
					for _, s := range c.Stats() {
						if s.FalsePositives > s.Tests {
							t.Error("more false positives than tests")
						}
					}
				}
			}
		})
	}
	workers.Wait()
	require.NotEmpty(t, c.Stats())
}

func TestCounterDoesNotAllocate(t *testing.T) {
	block := blockOf(t, "twochoice:10", 4, 1000)
	_, policy := newCounter()
	i := 0
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		policy.MayContain(pebble.TableFilter, block, block[i%1000:i%1000+8])
		i++
	}))
}
