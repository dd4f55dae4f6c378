// Package countv1 is the twin of countv2 for stores of Pebble v1, whose types
// are others.
package countv1

import (
	"bytes"
	"testing"

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

// Store is a program's store over a DB.
func Store(db *pebble.DB, has func(key []byte) (bool, error), closes func() error) absent.Store {
	return absent.Store{
		Set: func(key, value []byte) error { return db.Set(key, value, pebble.NoSync) },
		Has: has, Flush: db.Flush, Close: closes,
		Levels: func() (bytes []int64, quiet bool) {
			m := db.Metrics()
			for _, level := range m.Levels {
				bytes = append(bytes, int64(level.Size))
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

// Bloom opens a store with Pebble's filters, which iterators with UseL6Filters
// ask in all levels.
func Bloom(t testing.TB, dir string) func(*pebble.Options) absent.Store {
	return func(opts *pebble.Options) absent.Store {
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
	return &pebble.Options{
		L0CompactionThreshold: 2, LBaseMaxBytes: 1 << 20, MemTableSize: 1 << 20,
		Levels: []pebble.LevelOptions{{TargetFileSize: 128 << 10}},
	}
}
