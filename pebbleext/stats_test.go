package pebbleext_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestStatistics: a Counter's numbers agree with Pebble's and with the rate of
// the filters, whether tables have older versions and tombstones of the keys
// asked for or not. They may be six standard deviations off, with a probability
// below 1e-8 each.
func TestStatistics(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	const records, lookups = 3000, 400_000
	older := func(n int) func(*pebble.DB, int, []byte) error {
		return func(db *pebble.DB, i int, key []byte) error {
			if i%n == 0 {
				return db.Set(key, []byte("newer"), nil)
			}
			return nil
		}
	}
	for _, c := range []struct {
		name   string
		change func(db *pebble.DB, i int, key []byte) error
		tables int
		// repeats is how often a key is denied by a table: those answers are in
		// the sample together.
		repeats float64
	}{
		{"written once", nil, 1, 1},
		{"half written again", older(2), 2, lookups / 2 / records},
		{"all written again", older(1), 2, 1},
		{"all written again, half deleted", func(db *pebble.DB, i int, key []byte) error {
			if i%2 == 0 {
				return db.Delete(key, nil)
			}
			return db.Set(key, []byte("newer"), nil)
		}, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var counter *filterpolicy.Counter
			db := storetest.New(t, func(opts *pebble.Options) {
				opts.DisableAutomaticCompactions = true
				storetest.Apply(opts, storetest.ParsePlan(t, "ribbon:3"))
				counter = filterpolicy.NewCounter()
				counter.CountIn(opts)
				opts.MemTableSize = 1 << 20
				opts.TargetFileSizes[0], opts.TargetFileSizes[6] = 1<<20, 1<<20
			})
			keys := storetest.Fill(t, db, records, 10)
			if c.change != nil {
				for i, key := range keys {
					require.NoError(t, c.change(db, i, key))
				}
				require.NoError(t, db.Flush())
			}
			r, batch := pebbleext.ReaderOf(db, nil, pebbleext.Options{}), make([][]byte, 4000)
			asked := storetest.Queries(db, func() {
				for first := 0; first < lookups; first += len(batch) {
					for i := range batch {
						batch[i] = keys[i%(records-1)]
						if i%2 == 0 {
							batch[i] = fmt.Appendf(batch[i][:8:8], "-%d", first+i)
						}
					}
					require.NoError(t, r.HasMany(batch, func(int) {}))
				}
			})
			require.Greater(t, asked, int64(c.tables*lookups*9/10))
			stats := counter.Stats()
			require.Len(t, stats, 1, "all tables were written for L0, by flushes")
			s, rate := stats[0], 1.0/8 // of any ribbon of 3 bits
			low, high := s.RateInterval(6)
			t.Logf("%.4f of %d tests, in truth %.4f", s.FalsePositiveRate(), s.Tests, rate)
			require.True(t, low < rate && rate < high, "%v is not from %v to %v", rate, low, high)
			require.Less(t, high-low, 2*rate, "the interval says something")
			hits := float64(db.Metrics().Filter.Hits)
			require.InDelta(t, hits, s.Skips, 6*math.Sqrt(hits*1024*c.repeats))
		})
	}
}

// TestIndexStatistics: the counts of index filters agree with the number of
// lookups and with their rate, to six standard deviations each.
func TestIndexStatistics(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Index))
	const lookups = 200_000
	counter := filterpolicy.NewCounter()
	db := storetest.New(t, func(opts *pebble.Options) { storetest.Apply(opts, storetest.ParsePlan(t, "none;index=4")) })
	keys := storetest.Fill(t, db, 1000, 10)
	require.NoError(t, db.Compact(t.Context(), keys[0], []byte("z"), false))
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Counter: counter})
	for i := range lookups {
		_, err := r.Has(fmt.Appendf(nil, "%s-%d", keys[i%(len(keys)-1)], i))
		require.NoError(t, err)
	}
	stats := counter.Stats()
	require.Len(t, stats, 1)
	s, rate := stats[0], 1.0/16
	require.Equal(t, filterpolicy.IndexFamily, s.Family)
	require.Equal(t, -1, s.Level)
	require.InDelta(t, lookups, s.Queries(), 6*math.Sqrt(lookups*1024))
	low, high := s.RateInterval(6)
	require.True(t, low < rate && rate < high, "%v is not from %v to %v", rate, low, high)
	require.Less(t, high-low, 3*rate, "the interval says something")
}

// TestCountedLookupsDoNotAllocate: nor do those told to a listener.
func TestCountedLookupsDoNotAllocate(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables)) // pebble.DB.Get may allocate
	db := storetest.New(t, filterpolicy.NewCounter().CountIn)
	storetest.Fill(t, db, 1000, 100)
	hot, err := hotkeys.New(0.01)
	require.NoError(t, err)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Absent: hot.Add})
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
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Absent: hot.Add})
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
	require.Equal(t, []hotkeys.Key{{Key: absent, Length: len(absent), Count: 16}}, hot.Top(10))

	t.Cleanup(pointread.Force(pointread.Get))
	_ = storetest.Closed(pebbleext.ReaderOf(db, nil, pebbleext.Options{Absent: hot.Add}).Get(absent))
	require.EqualValues(t, 17, hot.Total())
}
