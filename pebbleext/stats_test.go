package pebbleext

import (
	"fmt"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// TestStatistics: a Counter's numbers agree with Pebble's and with the rate of
// the filter. They may be six standard deviations off, with a probability below
// 1e-8 each.
func TestStatistics(t *testing.T) {
	const lookups = 200_000
	var counter *filterpolicy.Counter
	db := newStore(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true
		Apply(opts, parsePlanOf(t, "bloom:4"))
		counter = CountProbes(opts)
	})
	keys := fill(t, db, 3000, 10)
	r := NewReader(db, nil, WithCounter(counter))
	asked := probes(db, func() {
		for i := range lookups {
			key := fmt.Appendf(keys[i%2999][:8:8], "-%d", i)
			has, err := r.Has(key)
			require.NoError(t, err)
			require.False(t, has)
			if i%4 == 0 {
				require.NoError(t, closed(r.Get(keys[i%3000])))
			}
		}
	})
	require.Greater(t, asked, int64(lookups*9/10))
	stats := counter.Stats()
	require.Len(t, stats, 1)
	s := stats[0]
	require.Equal(t, 6, s.Level)
	require.Equal(t, "bloom", s.Family)
	require.InDelta(t, asked, s.Probes(), 6*math.Sqrt(float64(asked)*1024))
	rate := parsePlanOf(t, "bloom:4")[6].(*filterpolicy.Policy).Rate()
	watched := float64(lookups) / 256
	require.InDelta(t, watched, s.Absent, 6*math.Sqrt(watched))
	require.InDelta(t, rate, s.FalsePositiveRate(), 6*math.Sqrt(rate/watched))
}

// TestStatisticsOfPrefixes: a lookup that finds another key of the same prefix
// had no false positive.
func TestStatisticsOfPrefixes(t *testing.T) {
	var counter *filterpolicy.Counter
	db := newStore(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true // Get asks no filter of L6
		opts.Comparer = &cockroachkvs.Comparer
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(&cockroachkvs.KeySchema)
		counter = CountProbes(opts)
	})
	for i := range 10 {
		require.NoError(t, db.Set(cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key%d", i), 5, 0), nil, nil))
	}
	require.NoError(t, db.Flush())
	r := NewReader(db, &cockroachkvs.Comparer, WithCounter(counter))
	older := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 4, 0)
	newer := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 6, 0)
	present := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 5, 0)
	manyHits(r, [][]byte{present})
	for name, lookup := range map[string]func(key []byte){
		"iterator": func(key []byte) { _, _ = r.Has(key) },
		"Get": func(key []byte) {
			for range 9 { // enough hits for the next lookup to go to pebble.DB.Get
				require.NoError(t, closed(r.Get(present)))
			}
			_ = closed(r.Get(key))
		},
	} {
		require.Positive(t, probes(db, func() {
			for range 5000 {
				lookup(older)
				lookup(newer)
			}
		}), name)
	}
	for _, s := range counter.Stats() {
		require.Zero(t, s.FalsePositives)
	}
}

// TestCountedLookupsDoNotAllocate: but for the watched ones, one in 256.
func TestCountedLookupsDoNotAllocate(t *testing.T) {
	var counter *filterpolicy.Counter
	db := newStore(t, func(opts *pebble.Options) { counter = CountProbes(opts) })
	fill(t, db, 1000, 100)
	hot, err := NewHotKeys(0.01)
	require.NoError(t, err)
	r := NewReader(db, nil, WithCounter(counter), WithHotAbsentKeys(hot))
	for _, key := range [][]byte{[]byte("key00500"), []byte("key00500x")} {
		require.Zero(t, testing.AllocsPerRun(5000, func() { _ = closed(r.Get(key)) }))
	}
}
