package pebbleext_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/markers"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// stages are what happens to a store while its file system fails or its machine
// crashes. Each runs alone; writes flush and compact in the background too.
var stages = []struct {
	name string
	run  func(s *faultyStore) error
}{
	{"write", func(s *faultyStore) error {
		for range 300 {
			if err := s.ledger.Write(s.db, s.rng.IntN(len(s.ledger)), pebble.Sync); err != nil {
				return err
			}
		}
		return nil
	}},
	{"flush", func(s *faultyStore) error { return s.db.Flush() }},
	{"compact", func(s *faultyStore) error {
		start, end := s.ledger.Ends()
		return s.db.Compact(context.Background(), start, end, s.rng.IntN(2) == 0)
	}},
	{"switch policies", func(s *faultyStore) error {
		return errors.Join(s.close(), s.open(storetest.RandomPlan(s.t, s.rng)))
	}},
}

// faultyStore is a store with a history of stages.
type faultyStore struct {
	t      *testing.T
	rng    *rand.Rand
	fs     vfs.FS
	db     *pebble.DB
	ledger ledger
	probes int64 // of stores that are closed
}

func newFaultyStore(t *testing.T, seed uint64, fs vfs.FS) *faultyStore {
	s := &faultyStore{t: t, rng: rand.New(rand.NewPCG(seed, 2)), fs: fs, ledger: make(ledger, 500)}
	require.NoError(t, s.open(storetest.RandomPlan(t, s.rng)))
	return s
}

func (s *faultyStore) open(plan pebbleext.Plan) (err error) {
	opts := storetest.Options(s.fs, nil)
	opts.CacheSize = 1 // so that blocks, filters among them, are read again
	storetest.Apply(opts, plan)
	for range 100 { // opening writes a table, which may fail
		if s.db, err = pebble.Open("", opts); !errors.Is(err, errInjected) {
			break
		}
	}
	return err
}

func (s *faultyStore) close() error {
	m := s.db.Metrics()
	s.probes += m.Filter.Hits + m.Filter.Misses
	return s.db.Close()
}

// runStages runs n random stages, which may fail by the given error.
func (s *faultyStore) runStages(n int, allowed error) {
	for range n {
		stage := stages[s.rng.IntN(len(stages))]
		if err := stage.run(s); err != nil && (allowed == nil || !errors.Is(err, allowed)) {
			require.NoError(s.t, err, stage.name)
		}
	}
}

// lookups are the ways to look up a key. A value is nil if there is none.
func lookups(db *pebble.DB) map[string]func(key []byte) ([]byte, error) {
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	return map[string]func(key []byte) ([]byte, error){
		"DB.Get":         func(key []byte) ([]byte, error) { return lookUpIn(db, key) },
		"Reader.Get":     func(key []byte) ([]byte, error) { return lookUpIn(r, key) },
		"Reader.GetMany": func(key []byte) ([]byte, error) { return lookUpMany(r, key) },
		"SeekGE":         func(key []byte) ([]byte, error) { return seek(db, key, (*pebble.Iterator).SeekGE) },
		"SeekPrefixGE":   func(key []byte) ([]byte, error) { return seek(db, key, (*pebble.Iterator).SeekPrefixGE) },
	}
}

func seek(db *pebble.DB, key []byte, to func(*pebble.Iterator, []byte) bool) (value []byte, err error) {
	iter, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	if to(iter, key) && slices.Equal(iter.Key(), key) {
		value, err = iter.ValueAndErr()
		value = slices.Clone(value)
	}
	return value, errors.Join(err, iter.Error(), iter.Close())
}

// checkAll looks up every key, and one absent key beside each, in every way. It
// returns how many lookups failed by the allowed error.
func (s *faultyStore) checkAll(oldest, newest []int64, allowed error) (failed int) {
	for way, look := range lookups(s.db) {
		for i := range s.ledger {
			value, err := look(s.ledger.Key(i))
			if err == nil {
				err = s.ledger.Judge(i, value, oldest[i], newest[i])
			}
			absent, absentErr := look(s.ledger.Absent(i))
			require.Nil(s.t, absent, way)
			for _, err := range []error{err, absentErr} {
				if err == nil {
					continue
				}
				failed++
				if allowed == nil || !errors.Is(err, allowed) {
					require.NoError(s.t, err, way)
				}
			}
		}
	}
	return failed
}

var errInjected = errors.New("injected")

// TestIOErrors fails reads and writes of tables at random points while filters
// are written and asked: a lookup gives what was written last or the error.
func TestIOErrors(t *testing.T) {
	var probes, reads, writes int64
	var failed int
	storetest.EachSeed(t, 6, func(t *testing.T, seed uint64) {
		faults := tableFaults{rng: rand.New(rand.NewPCG(seed, 3))}
		toggle := &errorfs.Toggle{Injector: errorfs.InjectorFunc(faults.maybe)}
		s := newFaultyStore(t, seed, errorfs.Wrap(vfs.NewMem(), toggle))
		for range 4 {
			toggle.On()
			s.runStages(5, errInjected)
			now := s.ledger.Begun()
			failed += s.checkAll(now, now, errInjected)
			toggle.Off()
			require.Zero(t, s.checkAll(now, now, nil), "nothing fails any more")
		}
		require.NoError(t, s.close())
		probes, reads, writes = probes+s.probes, reads+faults.reads, writes+faults.writes
	})
	require.Greater(t, probes, int64(1000), "filters are asked")
	require.Positive(t, reads)
	require.Positive(t, writes)
	require.Positive(t, failed)
	t.Logf("%d failed reads of tables and %d writes, %d failed lookups, %d probes", reads, writes, failed, probes)
}

// tableFaults fails one in a hundred reads of tables and one in ten writes.
type tableFaults struct {
	mu            sync.Mutex
	rng           *rand.Rand
	reads, writes int64
}

func (f *tableFaults) maybe(op errorfs.Op) error {
	if !strings.HasSuffix(op.Path, ".sst") {
		return nil // errors of logs are fatal to a store
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	odds, count := 100, &f.reads
	if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
		odds, count = 10, &f.writes
	}
	if f.rng.IntN(odds) > 0 {
		return nil
	}
	*count++
	return fmt.Errorf("%w: operation %d on %s", errInjected, op.Kind, op.Path)
}

// TestCrashes crashes a store at random points of random stages. Whatever part
// of the unsynced bytes the disk keeps, every acknowledged write is found, with
// the policies of then or with others, and after a compaction too. Pebble alone
// would lose stores on such a disk, as a test of package markers shows.
func TestCrashes(t *testing.T) {
	var probes int64
	crashes := 0
	storetest.EachSeed(t, 15, func(t *testing.T, seed uint64) {
		c := crasher{fs: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(seed, 4))}
		c.wait = c.rng.IntN(1000)
		s := newFaultyStore(t, seed, markers.FS{FS: errorfs.Wrap(c.fs, errorfs.InjectorFunc(c.maybe))})
		c.begin(s.ledger)
		s.runStages(12, nil)
		c.end()
		require.NoError(t, s.close())

		for _, crash := range c.crashes {
			after := &faultyStore{t: t, rng: s.rng, fs: crash.fs, ledger: s.ledger}
			require.NoError(t, after.open(storetest.RandomPlan(t, s.rng)))
			after.checkAll(crash.oldest, crash.newest, nil)
			start, end := s.ledger.Ends()
			require.NoError(t, after.db.Compact(context.Background(), start, end, false))
			after.checkAll(crash.oldest, crash.newest, nil)
			require.NoError(t, after.close())
			probes += after.probes
			crashes++
		}
	})
	require.Positive(t, crashes)
	require.Greater(t, probes, int64(1000), "filters are asked")
	t.Logf("%d crashes, %d probes", crashes, probes)
}

// crasher copies what a crash would leave, at random operations of a file
// system.
type crasher struct {
	fs *vfs.MemFS

	mu      sync.Mutex
	rng     *rand.Rand
	ledger  ledger // nil while there are no crashes
	wait    int    // operations until the next crash
	crashes []crash
}

// crash is a file system after a crash, with the versions that it may have.
type crash struct {
	fs             vfs.FS
	oldest, newest []int64
}

func (c *crasher) begin(l ledger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger = l
}

func (c *crasher) end() { c.begin(nil) }

// maybe is called before each operation.
func (c *crasher) maybe(errorfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ledger == nil {
		return nil
	}
	if c.wait--; c.wait > 0 {
		return nil
	}
	c.wait = c.rng.IntN(1000)
	now := crash{oldest: c.ledger.Acknowledged()}
	now.fs = c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.rng.IntN(101), RNG: c.rng})
	now.newest = c.ledger.Begun()
	c.crashes = append(c.crashes, now)
	return nil
}
