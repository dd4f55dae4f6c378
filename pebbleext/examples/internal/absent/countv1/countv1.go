// Package countv1 is the twin of countv2 for stores of Pebble v1, whose types
// are others.
package countv1

import (
	"bytes"
	"testing"
	"time"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
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

// Store is a program's store.
type Store struct {
	DB    *pebble.DB
	Has   func(key []byte) (bool, error)
	Close func() error
}

// Measure returns the cost of looking up the absent keys i in a store of four
// levels or more, of more than five times its block cache, which open opens with
// options that it may complete.
func Measure(t testing.TB, cacheSize int64, key func(i int) []byte, open func(*pebble.Options) Store) absent.Cost {
	t.Helper()
	fs := &countingFS{FS: vfs.Default}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	store := open(&pebble.Options{FS: fs, Cache: cache, DisableAutomaticCompactions: true})
	defer func() { require.NoError(t, store.Close()) }()
	requireShape(t, store.DB, cacheSize)
	return absent.Measure(t, &fs.counter, func(i int) (bool, error) { return store.Has(key(i)) })
}

// Bloom opens a store with Pebble's filters, which iterators with UseL6Filters
// ask in all levels.
func Bloom(t testing.TB, dir string) func(*pebble.Options) Store {
	return func(opts *pebble.Options) Store {
		opts.Levels = []pebble.LevelOptions{{TargetFileSize: 128 << 10, FilterPolicy: bloom.FilterPolicy(10)}}
		comparer := *pebble.DefaultComparer
		comparer.Split = func(key []byte) int { return len(key) } // or no iterator asks filters
		opts.Comparer = &comparer
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
		return Store{db, has, db.Close}
	}
}

// requireShape checks that a store has tables in four levels or more, and more
// than five times the bytes of its block cache.
func requireShape(t testing.TB, db *pebble.DB, cacheSize int64) {
	t.Helper()
	var levels, bytes int64
	for _, level := range db.Metrics().Levels {
		levels += min(level.NumFiles, 1)
		bytes += int64(level.Size)
	}
	require.GreaterOrEqual(t, levels, int64(4), "%s", db.Metrics())
	require.Greater(t, bytes, 5*cacheSize, "%s", db.Metrics())
}

// Fill has n records of 40 to 100 MB written into four levels, as hundreds of
// gigabytes fill with Pebble's own options: the last ones stay in L0. It opens
// the store twice, with options of its own.
func Fill(t testing.TB, n int, open func(*pebble.Options) Store, write func(store Store, i int)) {
	t.Helper()
	split := n - n/400
	store := open(smallLevels())
	for i := range split {
		write(store, i)
	}
	require.NoError(t, store.DB.Flush())
	require.Eventually(t, func() bool {
		m := store.DB.Metrics()
		return m.Compact.NumInProgress == 0 && m.Levels[0].Sublevels == 0
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, store.Close())

	store = open(&pebble.Options{DisableAutomaticCompactions: true})
	for i := split; i < n; i++ {
		write(store, i)
	}
	require.NoError(t, store.DB.Flush())
	require.NoError(t, store.Close())
}

func smallLevels() *pebble.Options {
	return &pebble.Options{
		L0CompactionThreshold: 2, LBaseMaxBytes: 1 << 20, MemTableSize: 1 << 20,
		Levels: []pebble.LevelOptions{{TargetFileSize: 128 << 10}},
	}
}
