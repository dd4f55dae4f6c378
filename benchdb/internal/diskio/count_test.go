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
	require.NoError(t, io.Place(db))

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
	require.Equal(t, Counts{ByLevel: []LevelCounts{}}, io.Counts())
	lookup(0, 9000)
	reads := io.Counts()

	require.Equal(t, db.Metrics().BlockCache.Misses-misses, reads.Total.Reads)
	require.Zero(t, reads.Other)
	require.Zero(t, reads.Compactions)
	require.Len(t, reads.ByLevel, 2, "L1 to L5 are empty")
	top, bottom := reads.ByLevel[0], reads.ByLevel[1]
	require.Equal(t, [2]int{0, 6}, [2]int{top.Level, bottom.Level})
	require.Positive(t, top.Data.Reads)
	require.Positive(t, top.Filter.Reads)
	require.Zero(t, bottom.Filter.Reads, "Get asks no filter of L6")
	// All but the newest 1000 records end in a data block of L6.
	require.InDelta(t, 8000, bottom.Data.Reads, 800)
	require.Equal(t, reads.Data, top.Data.Add(bottom.Data))
	require.Greater(t, reads.Data.Bytes, 4000*reads.Data.Reads*9/10)
}

func TestCompactionsAreApart(t *testing.T) {
	io := counting(vfs.NewMem())
	opts := options(io)
	opts.AddEventListener(*io.EventListener())
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
	require.Len(t, counts.ByLevel, 1)
	require.Equal(t, 6, counts.ByLevel[0].Level, "the listener placed the table")
	require.EqualValues(t, 1, counts.ByLevel[0].Data.Reads)
	require.Zero(t, counts.Compactions)
}

func TestTableNumber(t *testing.T) {
	for name, want := range map[string]uint64{"dir/000012.sst": 12, "1234567.sst": 1234567} {
		number, ok := tableNumber(name)
		require.True(t, ok)
		require.Equal(t, want, number)
	}
	for _, name := range []string{"000012.log", "MANIFEST-000001", "x.sst", "000012.sst.tmp"} {
		_, ok := tableNumber(name)
		require.False(t, ok, name)
	}
}
