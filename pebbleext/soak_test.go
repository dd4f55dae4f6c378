package pebbleext

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chores are what happens to a store while it is read and written.
var chores = []struct {
	name string
	run  func(s *soak, rng *rand.Rand) error
}{
	{"flush", func(s *soak, _ *rand.Rand) error { return s.db.Flush() }},
	{"compact", func(s *soak, rng *rand.Rand) error {
		i := rng.IntN(len(s.ledger) - 1)
		j := i + 1 + rng.IntN(len(s.ledger)-i-1)
		return s.db.Compact(context.Background(), s.ledger.key(i), s.ledger.key(j), rng.IntN(2) == 0)
	}},
	{"snapshot", func(s *soak, rng *rand.Rand) error {
		oldest := s.ledger.acknowledged()
		snapshot := s.db.NewSnapshot()
		newest := s.ledger.begun()
		r := NewReader(snapshot, nil)
		for range 200 {
			i := rng.IntN(len(s.ledger))
			value, err := lookup(r, s.ledger.key(i))
			if err == nil {
				err = s.ledger.judge(i, value, oldest[i], newest[i])
			}
			if err != nil {
				return errors.Join(err, snapshot.Close())
			}
		}
		return snapshot.Close()
	}},
}

// TestSoak reads and writes a store from many goroutines, under the race
// detector if asked, through flushes, compactions and changes of plan, and
// looks for what leaks: Close fails if an iterator or a snapshot is open.
func TestSoak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	s := &soak{fs: vfs.NewMem(), ledger: make(ledger, 3000)}
	rng := rand.New(rand.NewPCG(1, 5))
	// The store is closed between rounds: a plan is one of its options.
	for end := time.Now().Add(max(*stress, 4*time.Second)); time.Now().Before(end) && !t.Failed(); {
		s.round(t, randomPlan(t, rng), time.Second, rng.Uint64())
	}
	require.Positive(t, s.lookups.Load())
	require.Greater(t, s.probes, int64(1000), "filters are asked")
	t.Logf("%d writes, %d lookups, %d probes", s.writes.Load(), s.lookups.Load(), s.probes)
	requireGoroutines(t, goroutines)
}

// requireGoroutines waits for goroutines to end until no more are left.
func requireGoroutines(t *testing.T, most int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > most; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines instead of %d:\n%s", runtime.NumGoroutine(), most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// soak is a store under load.
type soak struct {
	fs              vfs.FS
	db              *pebble.DB
	ledger          ledger
	probes          int64
	writes, lookups atomic.Int64
}

const (
	soakWriters = 2
	soakReaders = 4
)

// round opens the store with a plan and loads it for a while.
func (s *soak) round(t *testing.T, plan Plan, length time.Duration, seed uint64) {
	opts := storeOptions(s.fs, nil)
	opts.MemTableSize = 64 << 10
	opts.CacheSize = 256 << 10
	opts.CompactionConcurrencyRange = func() (int, int) { return 1, 2 }
	Apply(opts, plan)
	s.db = openStore(t, "", opts)
	end := time.Now().Add(length)
	var wg sync.WaitGroup
	loop := func(stream uint64, step func(rng *rand.Rand) error) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, stream))
			for time.Now().Before(end) && assert.NoError(t, step(rng), plan) {
			}
		})
	}
	for w := range soakWriters {
		loop(uint64(w), func(rng *rand.Rand) error { return s.write(rng, w) })
	}
	reader := NewReader(s.db, nil) // one for all
	for r := range soakReaders {
		loop(uint64(soakWriters+r), func(rng *rand.Rand) error { return s.lookUp(reader, rng) })
	}
	loop(soakWriters+soakReaders, func(rng *rand.Rand) error {
		return chores[rng.IntN(len(chores))].run(s, rng)
	})
	wg.Wait()
	m := s.db.Metrics()
	s.probes += m.Filter.Hits + m.Filter.Misses
	require.NoError(t, s.db.Close())
}

// write writes one of a writer's keys.
func (s *soak) write(rng *rand.Rand, writer int) error {
	i := rng.IntN(len(s.ledger)/soakWriters)*soakWriters + writer
	s.writes.Add(1)
	return s.ledger.write(s.db, i, pebble.NoSync)
}

// lookUp looks up a key, or a key that is absent.
func (s *soak) lookUp(reader *Reader, rng *rand.Rand) error {
	i := rng.IntN(len(s.ledger))
	s.lookups.Add(1)
	if rng.IntN(2) == 0 {
		has, err := reader.Has(s.ledger.absent(i))
		if has {
			return errors.New("an absent key is found")
		}
		return err
	}
	oldest := s.ledger[i].acknowledged.Load()
	var value []byte
	var err error
	switch rng.IntN(3) {
	case 0:
		value, err = lookup(s.db, s.ledger.key(i))
	case 1:
		value, err = lookup(reader, s.ledger.key(i))
	case 2:
		value, err = lookups["Reader.GetMany"](s.db, s.ledger.key(i))
	}
	if err != nil {
		return err
	}
	return s.ledger.judge(i, value, oldest, s.ledger[i].begun.Load())
}
