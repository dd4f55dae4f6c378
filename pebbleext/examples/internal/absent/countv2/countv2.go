// Package countv2 fills stores of Pebble v2 and counts their reads.
package countv2

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
)

// FS counts the reads of .sst files.
type FS struct {
	vfs.FS
	Counter absent.Counter
}

// Unwrap implements vfs.FS.
func (fs *FS) Unwrap() vfs.FS { return fs.FS }

// Open implements vfs.FS.
func (fs *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.Open(name, opts...)
	if err != nil || !absent.Counts(name) {
		return f, err
	}
	return &file{f, &fs.Counter}, nil
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

// RequireShape checks that a store has tables in four levels or more, and more
// than five times the bytes of its block cache.
func RequireShape(t testing.TB, db *pebble.DB, cacheSize int64) {
	t.Helper()
	var levels, bytes int64
	for _, level := range db.Metrics().Levels {
		levels += min(level.TablesCount, 1)
		bytes += int64(level.TablesSize)
	}
	require.GreaterOrEqual(t, levels, int64(4), "%s", db.Metrics())
	require.Greater(t, bytes, 5*cacheSize, "%s", db.Metrics())
}

// Fill has n records of 40 to 100 MB written into four levels, as hundreds of
// gigabytes fill with Pebble's own options: the last ones stay in L0. It calls
// write twice, to open the store with options that shape has changed, write
// some records, have done wait for what Pebble does in the background, and
// close it.
func Fill(t testing.TB, n int, write func(shape func(*pebble.Options), first, last int, done func(*pebble.DB))) {
	t.Helper()
	split := n - n/400
	write(smallLevels, 0, split, func(db *pebble.DB) {
		require.NoError(t, db.Flush())
		require.Eventually(t, func() bool {
			m := db.Metrics()
			return m.Compact.NumInProgress == 0 && m.Levels[0].Sublevels == 0
		}, time.Minute, 100*time.Millisecond)
	})
	write(noCompactions, split, n, func(db *pebble.DB) { require.NoError(t, db.Flush()) })
}

func smallLevels(opts *pebble.Options) {
	opts.L0CompactionThreshold = 2
	opts.LBaseMaxBytes = 1 << 20
	opts.MemTableSize = 1 << 20
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 128 << 10 << i
	}
}

func noCompactions(opts *pebble.Options) { opts.DisableAutomaticCompactions = true }
