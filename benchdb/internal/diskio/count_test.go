package diskio

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// options are those of a store with a cache much smaller than its data and
// filters on all levels.
func options(fs vfs.FS) *pebble.Options {
	opts := &pebble.Options{
		FS:                 fs,
		CacheSize:          64 << 10,
		FormatMajorVersion: pebble.FormatNewest,
		DisableTableStats:  true,
	}
	for level := range opts.Levels {
		opts.Levels[level].FilterPolicy = bloom.FilterPolicy(10)
	}
	opts.Experimental.ReadSamplingMultiplier = -1
	opts.Local.ReadaheadConfig = objstorageprovider.NewReadaheadConfig()
	opts.Local.ReadaheadConfig.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
	return opts
}

func key(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)*0x9e3779b97f4a7c15) }

func counting(inner vfs.FS) *CountFS {
	opts := options(inner)
	opts.EnsureDefaults()
	return NewCountFS(inner, opts.MakeReaderOptions())
}

// write writes records first to last with random values.
func write(t *testing.T, db *pebble.DB, first, last int) {
	t.Helper()
	value := make([]byte, 200)
	random := rand.NewChaCha8([32]byte{})
	for n := first; n < last; n++ {
		_, _ = random.Read(value)
		require.NoError(t, db.Set(key(n), value, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
}

// A block that misses the cache is one read, so Pebble's own count of misses
// is that of the reads of blocks.
func TestReadsAreCacheMisses(t *testing.T) {
	inner := vfs.NewMem()
	opts := options(inner)
	opts.DisableAutomaticCompactions = true
	db, err := pebble.Open("", opts)
	require.NoError(t, err)
	write(t, db, 0, 8000)
	require.NoError(t, db.Compact(t.Context(), key(0)[:0], []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false))
	write(t, db, 8000, 9000)
	require.NoError(t, db.Close())

	io := counting(inner)
	opts = options(io)
	opts.ReadOnly = true
	db, err = pebble.Open("", opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	lookup := func(first, last int) {
		for n := first; n < last; n++ {
			_, closer, err := db.Get(key(n))
			if err == nil {
				require.NoError(t, closer.Close())
			}
		}
	}
	lookup(0, 500) // opens the tables
	before, misses := io.Counts(), db.Metrics().BlockCache.Misses
	require.Positive(t, before.Other.Reads)
	require.Positive(t, before.Filter.Reads)
	io.Reset()
	require.Equal(t, Counts{}, io.Counts())
	lookup(0, 9000)
	reads := io.Counts()

	require.Equal(t, db.Metrics().BlockCache.Misses-misses, reads.Total.Reads)
	require.Zero(t, reads.Other)
	require.Zero(t, reads.Compactions)
	require.Positive(t, reads.Filter.Reads)
	require.InDelta(t, 9000, reads.Data.Reads, 900)
	require.Greater(t, reads.Data.Bytes, 4000*reads.Data.Reads*9/10)
}

func TestCompactionsAreApart(t *testing.T) {
	io := counting(vfs.NewMem())
	opts := options(io)
	db, err := pebble.Open("", opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	write(t, db, 0, 3000)
	write(t, db, 1000, 4000)
	require.NoError(t, db.Compact(t.Context(), key(0)[:0], []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false))
	counts := io.Counts()
	require.Positive(t, counts.Compactions.Reads)
	require.Zero(t, counts.Data.Reads)

	io.Reset()
	_, closer, err := db.Get(key(0))
	require.NoError(t, err)
	require.NoError(t, closer.Close())
	counts = io.Counts()
	require.EqualValues(t, 1, counts.Data.Reads)
	require.Zero(t, counts.Compactions)
}
