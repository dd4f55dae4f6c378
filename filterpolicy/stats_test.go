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

// TestCounterCounts asks filters of two levels and of none. Counts may be six
// standard deviations off, with a probability below 1e-8 each.
func TestCounterCounts(t *testing.T) {
	const keys, absent = 20_000, 1_000_000
	c := NewCounter()
	require.Empty(t, c.Stats())
	blocks := [][]byte{
		blockOf(t, "bloom:4", 0, keys), blockOf(t, "ribbon:3", 6, keys), blockOf(t, "bloom:4", -1, keys),
	}
	truth := make([]LevelStats, len(blocks))
	for i, block := range blocks {
		for j := range keys + absent {
			if c.MayContain(pebble.TableFilter, block, numbered(j)) {
				truth[i].Positives++
			} else {
				truth[i].Skips++
			}
		}
	}
	c.MayContain(pebble.TableFilter, []byte("malformed"), []byte("key"))

	stats := c.Stats()
	require.Len(t, stats, len(blocks))
	for i, want := range []LevelStats{{Level: 0, Family: "bloom"}, {Level: 6, Family: "ribbon"}, {Level: -1, Family: "bloom"}} {
		got := stats[i]
		require.Equal(t, want, LevelStats{Level: got.Level, Family: got.Family})
		for _, n := range [][2]uint64{{truth[i].Skips, got.Skips}, {truth[i].Positives, got.Positives}} {
			deviation := 6 * math.Sqrt(float64(n[0])*blockfilter.SampleEvery)
			require.InDelta(t, n[0], n[1], deviation, "%+v", got)
		}
		require.Equal(t, got.Skips+got.Positives, got.Probes())
		require.Zero(t, got.FalsePositiveRate())
	}
}

// TestWatch: of a lookup's answers, those for its key count, by the outcome.
func TestWatch(t *testing.T) {
	const keys = 1000
	top, bottom := blockOf(t, "bloom:4", 0, keys), blockOf(t, "ribbon:3", 6, keys)
	known := numbered(7)
	for name, test := range map[string]struct {
		end                       func(*Watch)
		absentTop, falseTop       uint64
		absentBottom, falseBottom uint64
	}{
		"absent":    {func(w *Watch) { w.Done(false) }, 1, 1, 1, 1},
		"found":     {func(w *Watch) { w.Done(true) }, 1, 1, 0, 0},
		"discarded": {func(w *Watch) { w.Discard() }, 0, 0, 0, 0},
		"replaced":  {func(w *Watch) { watch(w.counter, numbered(8)); w.Done(false) }, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCounter()
			w := watch(c, known)
			for _, block := range [][]byte{top, bottom} {
				require.True(t, c.MayContain(pebble.TableFilter, block, known))
				c.MayContain(pebble.TableFilter, block, numbered(keys)) // of another lookup
			}
			test.end(w)
			w.Done(false) // once is enough
			var got [4]uint64
			for _, s := range c.Stats() {
				if s.Level == 0 {
					got[0], got[1] = s.Absent, s.FalsePositives
				} else {
					got[2], got[3] = s.Absent, s.FalsePositives
				}
			}
			require.Equal(t, [4]uint64{test.absentTop, test.falseTop, test.absentBottom, test.falseBottom}, got)
		})
	}
	var none *Watch
	none.Done(true)
	none.Discard()
}

// watch watches the next lookup, whatever the chance.
func watch(c *Counter, key []byte) *Watch {
	for {
		if w := c.Watch(key); w != nil {
			return w
		}
	}
}

// TestWatchedRate: the rate of false positives is the filter's. It may be six
// standard deviations off, with a probability below 1e-8 each.
func TestWatchedRate(t *testing.T) {
	const keys, lookups = 20_000, 20_000
	block := blockOf(t, "bloom:4", 3, keys)
	policy, err := Parse("bloom:4")
	require.NoError(t, err)
	c := NewCounter()
	for i := range lookups {
		key := numbered(keys + i)
		w := watch(c, key)
		c.MayContain(pebble.TableFilter, block, key)
		w.Done(false)
	}
	stats := c.Stats()
	require.Len(t, stats, 1)
	require.EqualValues(t, lookups, stats[0].Absent)
	rate := policy.(*Policy).Rate()
	require.InDelta(t, rate, stats[0].FalsePositiveRate(), 0.03*rate+6*math.Sqrt(rate/lookups))
}

// TestCounterConcurrently is for the race detector.
func TestCounterConcurrently(t *testing.T) {
	block := blockOf(t, "twochoice:10", 4, 1000)
	c := NewCounter()
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i := range 20_000 {
				key := numbered(i % 2000)
				w := c.Watch(key)
				if !c.MayContain(pebble.TableFilter, block, key) && i%2000 < 1000 {
					t.Error("false negative")
				}
				w.Done(worker%2 == 0)
				if i%1000 == 0 {
					c.Stats()
				}
			}
		})
	}
	workers.Wait()
	require.Nil(t, c.watched.Load())
	require.NotEmpty(t, c.Stats())
}

func TestCounterDoesNotAllocate(t *testing.T) {
	block := blockOf(t, "twochoice:10", 4, 1000)
	c := NewCounter()
	i := 0
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		c.MayContain(pebble.TableFilter, block, block[i%1000:i%1000+8])
		i++
	}))
}
