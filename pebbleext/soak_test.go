package pebbleext_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestSoak reads and writes a store from many goroutines, under the race
// detector if asked, through flushes, compactions and changes of plan, and
// looks for what leaks: Close fails if an iterator or a snapshot is open.
func TestSoak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	fs := vfs.NewMem()
	s := &storetest.Soak{Ledger: make(storetest.Ledger, 3000)}
	rng := rand.New(rand.NewPCG(1, 5))
	// The store is closed between rounds: a plan is one of its options.
	for end := time.Now().Add(max(*storetest.Stress, 4*time.Second)); time.Now().Before(end) && !t.Failed(); {
		opts := storetest.SoakOptions(fs)
		storetest.Apply(opts, storetest.RandomPlan(t, rng))
		s.DB = storetest.Open(t, "", opts)
		reader := pebbleext.ReaderOf(s.DB, nil, pebbleext.Options{Plan: pebbleext.Plan{Prefix: indexfilter.FixedLength(7)}})
		s.Load(t, reader, time.Second, rng.Uint64())
	}
	require.Greater(t, s.Queries, int64(1000), "filters are asked")
	t.Logf("%d writes, %d lookups, %d queries", s.Writes.Load(), s.Lookups.Load(), s.Queries)
	storetest.RequireGoroutines(t, goroutines)
}
