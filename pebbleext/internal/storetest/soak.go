package storetest

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
)

// chores are what happens to a store while it is read and written.
var chores = []struct {
	name string
	run  func(s *Soak, rng *rand.Rand) error
}{
	{"flush", func(s *Soak, _ *rand.Rand) error { return s.DB.Flush() }},
	{"compact", func(s *Soak, rng *rand.Rand) error {
		i := rng.IntN(len(s.Ledger) - 1)
		j := i + 1 + rng.IntN(len(s.Ledger)-i-1)
		return s.DB.Compact(context.Background(), s.Ledger.Key(i), s.Ledger.Key(j), rng.IntN(2) == 0)
	}},
	{"snapshot", func(s *Soak, rng *rand.Rand) error {
		oldest := s.Ledger.Acknowledged()
		snapshot := s.DB.NewSnapshot()
		newest := s.Ledger.Begun()
		r := s.reader.Over(snapshot)
		for range 200 {
			i := rng.IntN(len(s.Ledger))
			value, err := LookUp(r, s.Ledger.Key(i))
			if err == nil {
				err = s.Ledger.Judge(i, value, oldest[i], newest[i])
			}
			if err != nil {
				return errors.Join(err, snapshot.Close())
			}
		}
		return snapshot.Close()
	}},
}

// RequireGoroutines waits for goroutines to end until no more are left.
func RequireGoroutines(t *testing.T, most int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > most; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines instead of %d:\n%s", runtime.NumGoroutine(), most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// Soak is a store under load, and what happened to it. Queries are those of its
// filters.
type Soak struct {
	DB              *pebble.DB
	Ledger          Ledger
	Queries         int64
	Writes, Lookups atomic.Int64

	reader *pebbleext.Reader
}

const (
	soakWriters = 2
	soakReaders = 4
)

// SoakOptions are those of a store to be loaded, small enough to flush and to
// compact all the time.
func SoakOptions(fs vfs.FS) *pebble.Options {
	opts := Options(fs, nil)
	opts.MemTableSize = 64 << 10
	opts.CacheSize = 256 << 10
	opts.CompactionConcurrencyRange = func() (int, int) { return 1, 2 }
	return opts
}

// Load reads and writes the store for a while, and does chores and what else is
// to be done beside.
func (s *Soak) Load(t *testing.T, reader *pebbleext.Reader, length time.Duration, seed uint64, beside ...func(*rand.Rand) error) {
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
	m := s.DB.Metrics()
	s.Queries += m.Filter.Hits + m.Filter.Misses
	require.NoError(t, s.DB.CheckLevels(nil))
	require.NoError(t, s.DB.Close())
}

// write writes one of a writer's keys.
func (s *Soak) write(rng *rand.Rand, writer int) error {
	i := rng.IntN(len(s.Ledger)/soakWriters)*soakWriters + writer
	s.Writes.Add(1)
	return s.Ledger.Write(s.DB, i, pebble.NoSync)
}

// lookUp looks up a key, or a key that is absent.
func (s *Soak) lookUp(reader *pebbleext.Reader, rng *rand.Rand) error {
	i := rng.IntN(len(s.Ledger))
	s.Lookups.Add(1)
	if rng.IntN(2) == 0 {
		has, err := reader.Has(s.Ledger.Absent(i))
		if has {
			return errors.New("an absent key is found")
		}
		return err
	}
	oldest := s.Ledger[i].Stored.Load()
	var value []byte
	var err error
	switch rng.IntN(4) {
	case 0:
		value, err = LookUp(s.DB, s.Ledger.Key(i))
	case 1:
		value, err = LookUp(reader, s.Ledger.Key(i))
	case 2:
		value, err = LookUpMany(reader, s.Ledger.Key(i))
	case 3:
		value, err = scan(reader, s.Ledger.Key(i))
	}
	if err != nil {
		return err
	}
	return s.Ledger.Judge(i, value, oldest, s.Ledger[i].Started.Load())
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
