// Package countv2 fills stores of Pebble v2 and counts their reads.
package countv2

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// countingFS counts the reads of .sst files.
type countingFS struct {
	vfs.FS
	counter absent.Counter
}

// Unwrap implements vfs.FS.
func (fs *countingFS) Unwrap() vfs.FS { return fs.FS }

// Open implements vfs.FS.
func (fs *countingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.Open(name, opts...)
	if err != nil || !absent.Counts(name) {
		return f, err
	}
	return &file{f, &fs.counter}, nil
}

type file struct {
	vfs.File
	counter *absent.Counter
}

// ReadAt implements vfs.File.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.counter.Add(len(p))
	return f.File.ReadAt(p, off)
}

// Store is a program's store over a DB.
func Store(db *pebble.DB, has func(key []byte) (bool, error), closes func() error) absent.Store {
	return absent.Store{
		Set: func(key, value []byte) error { return db.Set(key, value, pebble.NoSync) },
		Has: has, Flush: db.Flush, Close: closes,
		Levels: func() (bytes []int64, quiet bool) {
			m := db.Metrics()
			for _, level := range m.Levels {
				bytes = append(bytes, level.TablesSize)
			}
			return bytes, m.Compact.NumInProgress == 0
		},
	}
}

// Measure is that of package absent, for a store that open opens with options
// that it may complete.
func Measure(t testing.TB, cacheSize int64, key func(i int) []byte, open func(*pebble.Options) absent.Store) absent.Cost {
	t.Helper()
	fs := &countingFS{FS: vfs.Default}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	store := open(&pebble.Options{FS: fs, Cache: cache, DisableAutomaticCompactions: true})
	defer func() { require.NoError(t, store.Close()) }()
	return absent.Measure(t, store, cacheSize, &fs.counter, key)
}

// Compare counts the reads of lookups of absent keys in a store: by the program;
// with Pebble's filters in all its tables; and with Gravel's.
func Compare(t testing.TB, dir string, cacheSize int64, key func(i int) []byte, program, gravel func(*pebble.Options) absent.Store) {
	t.Helper()
	before := Measure(t, cacheSize, key, program)
	Refilter(t, dir, "pebble-bloom:10")
	l6 := Measure(t, cacheSize, key, Bloom(t, dir))
	Refilter(t, dir, "default")
	absent.RequireFewer(t, before, l6, Measure(t, cacheSize, key, gravel))
}

// Refilter gives the tables of a store the filters of a plan.
func Refilter(t testing.TB, dir, text string) {
	t.Helper()
	plan, err := pebbleext.ParsePlan(text)
	require.NoError(t, err)
	opts, err := refilter.StoredOptions(dir)
	require.NoError(t, err)
	opts.L0CompactionThreshold = 4 // or tables would leave L0
	report, err := refilter.Run(t.Context(), dir, opts, plan, refilter.Settings{})
	require.NoError(t, err)
	require.Equal(t, report.Tables, report.Done)
}

// Bloom opens a store with Pebble's filters, which iterators with UseL6Filters
// ask in all levels.
func Bloom(t testing.TB, dir string) func(*pebble.Options) absent.Store {
	return func(opts *pebble.Options) absent.Store {
		opts.Levels[0].FilterPolicy = bloom.FilterPolicy(10) // and all others
		db, err := pebble.Open(dir, opts)
		require.NoError(t, err)
		has := func(key []byte) (bool, error) {
			iter, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
			if err != nil {
				return false, err
			}
			found := iter.SeekPrefixGE(key) && bytes.Equal(iter.Key(), key)
			return found, iter.Close()
		}
		return Store(db, has, db.Close)
	}
}

// Fill is that of package absent, for a store that open opens.
func Fill(t testing.TB, n int, open func(*pebble.Options) absent.Store, write func(store absent.Store, i int)) {
	t.Helper()
	absent.Fill(t, n,
		func() absent.Store { return open(smallLevels()) },
		func() absent.Store { return open(&pebble.Options{DisableAutomaticCompactions: true}) }, write)
}

func smallLevels() *pebble.Options {
	opts := &pebble.Options{L0CompactionThreshold: 2, LBaseMaxBytes: 1 << 20, MemTableSize: 1 << 20}
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 128 << 10 << i
	}
	return opts
}
