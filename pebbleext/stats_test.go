package pebbleext_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestStatistics: a Counter's numbers agree with Pebble's and with the rate of
// the filter. They may be six standard deviations off, with a probability below
// 1e-8 each.
func TestStatistics(t *testing.T) {
	const lookups = 200_000
	var counter *filterpolicy.Counter
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true
		pebbleext.Apply(opts, storetest.ParsePlan(t, "bloom:4"))
		counter = pebbleext.CountProbes(opts)
	})
	keys := storetest.Fill(t, db, 3000, 10)
	r := pebbleext.NewReader(db, nil, pebbleext.WithCounter(counter))
	asked := storetest.Queries(db, func() {
		for i := range lookups {
			key := fmt.Appendf(keys[i%2999][:8:8], "-%d", i)
			has, err := r.Has(key)
			require.NoError(t, err)
			require.False(t, has)
			if i%4 == 0 {
				require.NoError(t, storetest.Closed(r.Get(keys[i%3000])))
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
	rate := storetest.ParsePlan(t, "bloom:4")[6].(*filterpolicy.Policy).Rate()
	watched := float64(lookups) / 256
	require.InDelta(t, watched, s.Absent, 6*math.Sqrt(watched))
	require.InDelta(t, rate, s.FalsePositiveRate(), 6*math.Sqrt(rate/watched))
}

// TestStatisticsOfPrefixes: a lookup that finds another key of the same prefix
// had no false positive.
func TestStatisticsOfPrefixes(t *testing.T) {
	var counter *filterpolicy.Counter
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true // Get asks no filter of L6
		opts.Comparer = &cockroachkvs.Comparer
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(&cockroachkvs.KeySchema)
		counter = pebbleext.CountProbes(opts)
	})
	for i := range 10 {
		require.NoError(t, db.Set(cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key%d", i), 5, 0), nil, nil))
	}
	require.NoError(t, db.Flush())
	r := pebbleext.NewReader(db, &cockroachkvs.Comparer, pebbleext.WithCounter(counter))
	older := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 4, 0)
	newer := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 6, 0)
	present := cockroachkvs.EncodeMVCCKey(nil, []byte("key5"), 5, 0)
	manyHits(r, [][]byte{present})
	for name, lookup := range map[string]func(key []byte){
		"iterator": func(key []byte) { _, _ = r.Has(key) },
		"Get": func(key []byte) {
			for range 9 { // enough hits for the next lookup to go to pebble.DB.Get
				require.NoError(t, storetest.Closed(r.Get(present)))
			}
			_ = storetest.Closed(r.Get(key))
		},
	} {
		require.Positive(t, storetest.Queries(db, func() {
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
	db := storetest.New(t, func(opts *pebble.Options) { counter = pebbleext.CountProbes(opts) })
	storetest.Fill(t, db, 1000, 100)
	hot, err := hotkeys.New(0.01)
	require.NoError(t, err)
	r := pebbleext.NewReader(db, nil, pebbleext.WithCounter(counter), pebbleext.WithAbsentKeys(hot.Add))
	for _, key := range [][]byte{[]byte("key00500"), []byte("key00500x")} {
		require.Zero(t, testing.AllocsPerRun(5000, func() { _ = storetest.Closed(r.Get(key)) }))
	}
}

// TestReaderCountsAbsentKeys: every way to look keys up counts those that are
// absent, concurrently.
func TestReaderCountsAbsentKeys(t *testing.T) {
	db := storetest.New(t, nil)
	keys := storetest.Fill(t, db, 100, 10)
	hot, err := hotkeys.New(0.01)
	require.NoError(t, err)
	r := pebbleext.NewReader(db, nil, pebbleext.WithAbsentKeys(hot.Add))
	absent := []byte("key00007x")
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			_ = storetest.Closed(r.Get(absent))
			_, _ = r.Has(absent)
			_ = r.GetMany([][]byte{absent, keys[1]}, func(int, []byte) error { return nil })
			_ = r.HasMany([][]byte{absent, keys[2]}, func(int) {})
			_ = storetest.Closed(r.Get(keys[3]))
		})
	}
	workers.Wait()
	require.Equal(t, []hotkeys.Key{{Key: absent, Count: 16}}, hot.Top(10))

	manyHits(r, keys) // and by pebble.DB.Get
	_ = storetest.Closed(r.Get(absent))
	require.EqualValues(t, 17, hot.Total())
}
