package refilter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// TestInBackground rewrites the tables of a store beside writers,
// under a snapshot, through crashes.
func TestInBackground(t *testing.T) {
	plan := storetest.ParsePlan(t, crashPlan)
	for name, keys := range storetest.KeySpaces() {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := newOldStore(t, fs, "db", keys, bloom.FilterPolicy(10), true, 3)
			s.opts.DisableAutomaticCompactions = false
			opts := s.opts.Clone()
			opts.DisableAutomaticCompactions = true
			_, err := InBackground("db", opts, plan, 0)
			require.ErrorContains(t, err, "DisableAutomaticCompactions")
			_, err = InBackground("db", nil, plan, 0)
			require.ErrorContains(t, err, "the options are nil")
			opts.DisableAutomaticCompactions = false
			report, err := InBackground("db", opts, plan, 0)
			require.NoError(t, err)
			require.Positive(t, report.Pending)
			db := storetest.Open(t, "db", opts)
			snapshot := db.NewSnapshot()

			// The keys that histories leave alone.
			written := map[string]string{}
			var mu sync.Mutex
			var writers sync.WaitGroup
			for w := range 3 {
				writers.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(w), 5))
					for n := range 300 {
						key := keys.Keys[9*rng.IntN(len(keys.Keys)/9)+3*w]
						value := fmt.Sprint(w, n)
						mu.Lock()
						written[string(key)] = value
						err := db.Set(key, []byte(value), nil)
						mu.Unlock()
						if err != nil || n%50 == 0 && db.Flush() != nil {
							panic("write failed")
						}
					}
				})
			}
			clones := make([]*vfs.MemFS, 10)
			want := make([]map[string]string, len(clones))
			for i := range clones {
				time.Sleep(time.Millisecond)
				mu.Lock()
				clones[i] = fs.CrashClone(vfs.CrashCloneCfg{})
				want[i] = map[string]string{}
				for k, v := range written {
					want[i][k] = v
				}
				mu.Unlock()
			}
			writers.Wait()
			require.Eventually(t, func() bool { return db.Metrics().Compact.MarkedFiles == 0 }, 20*time.Second, time.Millisecond)
			require.Equal(t, s.want, readAll(t, snapshot, keys))
			require.NoError(t, snapshot.Close())
			s.checkWritten(t, db, written)
			require.NoError(t, db.Close())
			for i, clone := range clones {
				reopened := s.opts.Clone()
				reopened.FS = clone
				pebbleext.Apply(reopened, pebbleext.Options{Plan: plan})
				db := storetest.Open(t, "db", reopened)
				s.checkWritten(t, db, want[i])
				require.NoError(t, db.Close())
			}

			again, err := Run(t.Context(), "db", s.opts, plan, Settings{DryRun: true})
			require.NoError(t, err)
			require.Zero(t, again.Pending)
		})
	}
}

// checkWritten checks that a store holds what it held at first and what was
// written since.
func (s *oldStore) checkWritten(t *testing.T, db *pebble.DB, written map[string]string) {
	t.Helper()
	got := readAll(t, db, s.keys).values
	want := map[string]string{}
	for k, v := range s.want.values {
		want[k] = v
	}
	for k, v := range written {
		want[k] = v
	}
	require.Equal(t, want, got)
}

func TestStopsAndResumes(t *testing.T) {
	fs := vfs.NewMem()
	plan := storetest.ParsePlan(t, crashPlan)
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, true, 4)
	ctx, stop := context.WithCancel(t.Context())
	report, err := runInSteps(ctx, "db", s.opts, plan, Settings{
		Progress: func(r Report) {
			if r.Done > 0 {
				stop()
			}
		},
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, report.Done, report.Pending)
	s.check(t, fs, "db", plan)
	rest, err := Run(t.Context(), "db", s.opts, plan, Settings{})
	require.NoError(t, err)
	require.LessOrEqual(t, rest.Pending, report.Pending-report.Done)
	s.checkFiltered(t, fs, "db", plan)
}

func TestRate(t *testing.T) {
	const bytes, rate = 3 << 20, 10 << 20
	p := &pace{ctx: t.Context(), perSecond: rate}
	begin := time.Now()
	for range bytes / 1024 {
		p.wait(1024)
	}
	p.wait(0)
	require.GreaterOrEqual(t, time.Since(begin), bytes*time.Second/rate-paceSlack)
	require.EqualValues(t, bytes, p.written.Load())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := &pace{ctx: ctx, perSecond: 1}
	stopped.wait(1 << 30) // returns
}

func TestRefuses(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, true, 5)
	require.NoError(t, fs.MkdirAll("empty", 0o755))
	with := func(edit func(*pebble.Options)) *pebble.Options {
		opts := s.opts.Clone()
		edit(opts)
		return opts
	}
	mine := with(func(o *pebble.Options) {
		o.FS = vfs.NewMem()
		o.BlockPropertyCollectors = append(o.BlockPropertyCollectors,
			func() pebble.BlockPropertyCollector { return &collector{} })
	})
	db := storetest.Open(t, "db", mine)
	require.NoError(t, db.Set([]byte("a"), []byte("b"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	theirs := mine.Clone()
	theirs.BlockPropertyCollectors = nil

	for _, c := range []struct {
		name     string
		dir      string
		opts     *pebble.Options
		settings Settings
		kind     error // nil for one that is not exported
		want     []string
	}{
		{"no directory", "nowhere", s.opts, Settings{}, pebbleext.ErrNotStore, []string{"nowhere"}},
		{"no store", "empty", s.opts, Settings{}, pebbleext.ErrNotStore, []string{"empty", "no Pebble store"}},
		{"slow", "db", s.opts, Settings{BytesPerSecond: 5}, nil, []string{"5 bytes", "1048576"}},
		{"negative", "db", s.opts, Settings{BytesPerSecond: -5}, nil, []string{"-5"}},
		{"comparer", "db", with(func(o *pebble.Options) {
			mine := *pebble.DefaultComparer
			mine.Name = "mine"
			o.Comparer = &mine
		}), Settings{}, pebbleext.ErrUnknownComparer, []string{"leveldb.BytewiseComparator", `Options.Comparer is "mine"`}},
		{"merger", "db", with(func(o *pebble.Options) { o.Merger = &pebble.Merger{Name: "mine"} }),
			Settings{}, nil, []string{"merger", "mine"}},
		{"collector", "db", theirs, Settings{}, pebbleext.ErrRefused, []string{"parity", "BlockPropertyCollectors"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := listing(t, c.opts.FS)
			_, err := Run(t.Context(), c.dir, c.opts, storetest.ParsePlan(t, "bloom:10"), c.settings)
			for _, word := range c.want {
				require.ErrorContains(t, err, word)
			}
			if c.kind != nil {
				require.ErrorIs(t, err, c.kind)
			}
			require.ElementsMatch(t, before, listing(t, c.opts.FS), "nothing is written")
		})
	}
	_, err := Run(t.Context(), "db", mine, storetest.ParsePlan(t, "bloom:10"), Settings{})
	require.NoError(t, err)

	db = storetest.Open(t, "db", s.opts)
	for _, dryRun := range []bool{true, false} {
		_, err = Run(t.Context(), "db", s.opts, storetest.ParsePlan(t, "bloom:10"), Settings{DryRun: dryRun})
		require.ErrorIs(t, err, pebbleext.ErrLocked)
	}
	require.NoError(t, db.Close())
}

func listing(t *testing.T, fs vfs.FS) (files []string) {
	t.Helper()
	names, err := fs.List("db")
	require.NoError(t, err)
	for _, name := range names {
		info, err := fs.Stat(fs.PathJoin("db", name))
		require.NoError(t, err)
		files = append(files, fmt.Sprint(name, info.Size()))
	}
	return files
}

// collector is a collector of block properties that are empty.
type collector struct{}

func (*collector) Name() string                                                   { return "parity" }
func (*collector) AddPointKey(sstable.InternalKey, []byte) error                  { return nil }
func (*collector) AddRangeKeys(sstable.Span) error                                { return nil }
func (*collector) AddCollectedWithSuffixReplacement([]byte, []byte, []byte) error { return nil }
func (*collector) SupportsSuffixReplacement() bool                                { return false }
func (*collector) FinishDataBlock(buf []byte) ([]byte, error)                     { return append(buf, 1), nil }
func (*collector) AddPrevDataBlockToIndexBlock()                                  {}
func (*collector) FinishIndexBlock(buf []byte) ([]byte, error)                    { return append(buf, 1), nil }
func (*collector) FinishTable(buf []byte) ([]byte, error)                         { return append(buf, 1), nil }

// TestResidentNames refilters a store whose tables name resident filters or
// not, with options that know nothing of these, as those of the command do. The
// filters can be in memory at once.
func TestResidentNames(t *testing.T) {
	for _, named := range []bool{true, false} {
		fs := vfs.NewMem()
		opts := &pebble.Options{FS: fs}
		opts.Levels[0].FilterPolicy = filterpolicy.Bloom(10)
		if named {
			pebbleext.Apply(opts, pebbleext.Options{Plan: storetest.ParsePlan(t, "bloom:10")})
		}
		require.NoError(t, fill("db", opts))
		require.Equal(t, named, tableName(t, fs) != "")
		same, err := Run(t.Context(), "db", &pebble.Options{FS: fs}, storetest.ParsePlan(t, "bloom:10"), Settings{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, named, same.Pending == 0)
		for i, pending := range []int{1, 0} {
			report, err := Run(t.Context(), "db", &pebble.Options{FS: fs}, storetest.ParsePlan(t, "dense:10"), Settings{})
			require.NoError(t, err)
			require.Equal(t, pending, report.Pending, "run %d", i)
		}
		require.Len(t, tableName(t, fs), 17)

		db, err := pebbleext.Open("db", &pebble.Options{FS: fs}, pebbleext.Options{FilterMemory: 1 << 20})
		require.NoError(t, err)
		absent := 0
		require.Eventually(t, func() bool {
			absent++
			_, err := db.Has(fmt.Appendf(nil, "stone 1-%d", absent))
			require.NoError(t, err)
			return db.Filters().Stats().Loaded == 1
		}, time.Minute, time.Millisecond)
		require.NoError(t, db.Close())
	}
}

// TestInBackgroundOfOpen rewrites the table of a store that pebbleext.Open
// opens with the default plan. The filter comes into memory from the table's
// writer.
func TestInBackgroundOfOpen(t *testing.T) {
	fs, plan := vfs.NewMem(), pebbleext.Plan{}
	require.NoError(t, fill("db", &pebble.Options{FS: fs}))
	opts := &pebble.Options{FS: fs}
	report, err := InBackground("db", opts, plan, 0)
	require.NoError(t, err)
	require.Equal(t, 1, report.Pending)
	db, err := pebbleext.Open("db", opts, pebbleext.Options{Plan: plan, FilterMemory: 1 << 20})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return db.Metrics().Compact.MarkedFiles == 0 }, time.Minute, time.Millisecond)
	require.EqualValues(t, 1, db.Filters().Stats().HandedOver)
	require.NoError(t, db.Close())
	report, err = Run(t.Context(), "db", &pebble.Options{FS: fs}, plan, Settings{DryRun: true})
	require.NoError(t, err)
	require.Zero(t, report.Pending)
}

// tableName is how a store's only table names its filter.
func tableName(t *testing.T, fs vfs.FS) string {
	t.Helper()
	db, err := pebble.Open("db", &pebble.Options{FS: fs, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	tables := slices.Concat(levels...)
	require.Len(t, tables, 1)
	return tables[0].Properties.UserProperties[resident.PropertyName]
}

// fill makes a store of one table.
func fill(dir string, opts *pebble.Options) (err error) {
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for i := range 1000 {
		if err := db.Set(fmt.Appendf(nil, "stone %d", i), nil, nil); err != nil {
			return err
		}
	}
	return db.Flush()
}
