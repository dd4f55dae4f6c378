package pebbleext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
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
	s := &soak{ledger: make(ledger, 3000)}
	rng := rand.New(rand.NewPCG(1, 5))
	var denied uint64
	round := func() {
		opts := soakOptions(fs)
		plan := storetest.RandomPlan(t, rng)
		if rng.IntN(2) == 0 {
			plan.Levels = pebbleext.DefaultPlan().Levels // filters that are cut
		}
		setup := pebbleext.Apply(opts, pebbleext.Options{Plan: plan, FilterMemory: 1 << 20})
		s.db = storetest.Open(t, "", opts)
		reader, err := setup.NewReader(s.db)
		require.NoError(t, err)
		s.load(t, reader, time.Second, rng.Uint64(), func(rng *rand.Rand) error {
			time.Sleep(10 * time.Millisecond)
			return setup.Filters().SetBudget(rng.Int64N(64 << 10))
		})
		denied += setup.Filters().Stats().Denied
		require.NoError(t, errors.Join(reader.Close(), s.db.Close())) // the store after what lists its tables
	}
	// The store is closed between rounds: a plan is one of its options.
	for end := time.Now().Add(max(*storetest.Stress, 4*time.Second)); time.Now().Before(end) && !t.Failed(); {
		eachWay(func(pointread.Way) { round() })
		round()
	}
	require.Greater(t, s.queries, int64(1000), "filters are asked")
	require.Greater(t, denied, uint64(1000), "filters in memory are asked")
	t.Logf("%d writes, %d lookups, %d queries, %d denied in memory", s.writes.Load(), s.lookups.Load(), s.queries, denied)
	storetest.RequireGoroutines(t, goroutines)
}

// chores are what happens to a store while it is read and written.
var chores = []struct {
	name string
	run  func(s *soak, rng *rand.Rand) error
}{
	{"flush", func(s *soak, _ *rand.Rand) error { return s.db.Flush() }},
	{"compact", func(s *soak, rng *rand.Rand) error {
		i := rng.IntN(len(s.ledger) - 1)
		j := i + 1 + rng.IntN(len(s.ledger)-i-1)
		return s.db.Compact(context.Background(), s.ledger.Key(i), s.ledger.Key(j), rng.IntN(2) == 0)
	}},
	{"snapshot", func(s *soak, rng *rand.Rand) error {
		oldest := s.ledger.Acknowledged()
		snapshot := s.db.NewSnapshot()
		newest := s.ledger.Begun()
		r := s.reader.Over(snapshot)
		for range 200 {
			i := rng.IntN(len(s.ledger))
			value, err := lookUpIn(r, s.ledger.Key(i))
			if err == nil {
				err = s.ledger.Judge(i, value, oldest[i], newest[i])
			}
			if err != nil {
				return errors.Join(err, snapshot.Close())
			}
		}
		return snapshot.Close()
	}},
}

// soak is a store under load, and what happened to it. queries are those of its
// filters.
type soak struct {
	db              *pebble.DB
	ledger          ledger
	queries         int64
	writes, lookups atomic.Int64

	reader *pebbleext.Reader
}

const (
	soakWriters = 2
	soakReaders = 4
)

// soakOptions are those of a store to be loaded, small enough to flush and to
// compact all the time.
func soakOptions(fs vfs.FS) *pebble.Options {
	opts := storetest.Options(fs, nil)
	opts.MemTableSize = 64 << 10
	opts.CacheSize = 256 << 10
	opts.CompactionConcurrencyRange = func() (int, int) { return 1, 2 }
	return opts
}

// load reads and writes the store for a while, and does chores and what else is
// to be done beside.
func (s *soak) load(t *testing.T, reader *pebbleext.Reader, length time.Duration, seed uint64, beside ...func(*rand.Rand) error) {
	s.reader = reader
	end := time.Now().Add(length)
	loops := append(beside, func(rng *rand.Rand) error { return chores[rng.IntN(len(chores))].run(s, rng) })
	for w := range soakWriters {
		loops = append(loops, func(rng *rand.Rand) error { return s.write(rng, w) })
	}
	for range soakReaders {
		loops = append(loops, func(rng *rand.Rand) error { return s.lookUp(reader, rng) })
	}
	var wg sync.WaitGroup
	for stream, step := range loops {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(stream)))
			for time.Now().Before(end) && assert.NoError(t, step(rng)) {
			}
		})
	}
	wg.Wait()
	m := s.db.Metrics()
	s.queries += m.Filter.Hits + m.Filter.Misses
	require.NoError(t, s.db.CheckLevels(nil))
}

// write writes one of a writer's keys.
func (s *soak) write(rng *rand.Rand, writer int) error {
	i := rng.IntN(len(s.ledger)/soakWriters)*soakWriters + writer
	s.writes.Add(1)
	return s.ledger.Write(s.db, i, pebble.NoSync)
}

// lookUp looks up a key, or a key that is absent.
func (s *soak) lookUp(reader *pebbleext.Reader, rng *rand.Rand) error {
	i := rng.IntN(len(s.ledger))
	s.lookups.Add(1)
	if rng.IntN(2) == 0 {
		has, err := reader.Has(s.ledger.Absent(i))
		if has {
			return errors.New("an absent key is found")
		}
		return err
	}
	oldest := s.ledger[i].stored.Load()
	var value []byte
	var err error
	switch rng.IntN(4) {
	case 0:
		value, err = lookUpIn(s.db, s.ledger.Key(i))
	case 1:
		value, err = lookUpIn(reader, s.ledger.Key(i))
	case 2:
		value, err = lookUpMany(reader, s.ledger.Key(i))
	case 3:
		value, err = scan(reader, s.ledger.Key(i))
	}
	if err != nil {
		return err
	}
	return s.ledger.Judge(i, value, oldest, s.ledger[i].started.Load())
}

// scan is LookUp by a scan of the keys that begin with key, which are this one
// or none.
func scan(reader *pebbleext.Reader, key []byte) (value []byte, err error) {
	iter, err := reader.NewPrefixIter(key, nil)
	if err != nil {
		return nil, err
	}
	if iter.Last() {
		if !bytes.Equal(iter.Key(), key) || iter.Prev() {
			err = fmt.Errorf("%q is not the only key with this prefix", key)
		} else if iter.First() {
			value = slices.Clone(iter.Value())
		}
	}
	return value, errors.Join(err, iter.Close())
}
