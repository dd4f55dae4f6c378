package pebbleext_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestSoak reads and writes a store from many goroutines, under the race
// detector if asked, through flushes, compactions, changes of plan, in each way
// and by the rule, while filters in memory are cut and grow, and looks for what
// leaks: Close fails if an iterator or a snapshot is open.
func TestSoak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	fs := vfs.NewMem()
	s := &storetest.Soak{Ledger: make(storetest.Ledger, 3000)}
	rng := rand.New(rand.NewPCG(1, 5))
	var denied uint64
	round := func() {
		opts := storetest.SoakOptions(fs)
		plan := storetest.RandomPlan(t, rng)
		if rng.IntN(2) == 0 {
			plan.Levels = pebbleext.DefaultPlan().Levels // filters that are cut
		}
		setup := pebbleext.Apply(opts, pebbleext.Options{Plan: plan, FilterMemory: 1 << 20})
		s.DB = storetest.Open(t, "", opts)
		reader, err := setup.NewReader(s.DB)
		require.NoError(t, err)
		s.Load(t, reader, time.Second, rng.Uint64(), func(rng *rand.Rand) error {
			time.Sleep(10 * time.Millisecond)
			return setup.Filters().SetBudget(rng.Int64N(64 << 10))
		})
		denied += setup.Filters().Stats().Denied
		require.NoError(t, reader.Close())
	}
	// The store is closed between rounds: a plan is one of its options.
	for end := time.Now().Add(max(*storetest.Stress, 4*time.Second)); time.Now().Before(end) && !t.Failed(); {
		eachWay(func(pointread.Way) { round() })
		round()
	}
	require.Greater(t, s.Queries, int64(1000), "filters are asked")
	require.Greater(t, denied, uint64(1000), "filters in memory are asked")
	t.Logf("%d writes, %d lookups, %d queries, %d denied in memory", s.Writes.Load(), s.Lookups.Load(), s.Queries, denied)
	storetest.RequireGoroutines(t, goroutines)
}
