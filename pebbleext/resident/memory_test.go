package resident_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// openSharing opens a store whose filters take their memory off a block cache of
// that size.
func openSharing(t *testing.T, fs vfs.FS, size int64, edit func(*pebble.Options)) (*resident.Filters, *pebble.DB) {
	f, err := resident.New(resident.Settings{File: "saved"})
	require.NoError(t, err)
	f.SetTurnTime(time.Millisecond)
	db := openFilters(t, fs, f, func(o *pebble.Options) {
		o.Cache = pebble.NewCache(size)
		t.Cleanup(o.Cache.Unref)
		o.DisableAutomaticCompactions = true
		storetest.Apply(o, storetest.ParsePlan(t, "ribbon:10"))
		if edit != nil {
			edit(o)
		}
	})
	return f, db
}

// TestFiltersTakeWhatPays: filters take memory off the cache when keys that are
// not there are looked up, keep it while nothing is, and give it back when others
// read the store.
func TestFiltersTakeWhatPays(t *testing.T) {
	const size = 512 << 10
	fs := vfs.NewMem()
	f, db := openSharing(t, fs, size, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	eventually(t, func() bool { return f.Stats().Known >= tables(t, db) })
	require.Zero(t, f.Stats().Filters, "nobody reads")

	lookUp := func() {
		for _, key := range missing(keys) {
			require.False(t, has(t, db, f, key))
		}
		require.LessOrEqual(t, f.Reserved(), int64(size))
	}
	eventually(t, func() bool {
		lookUp()
		return f.HasAll()
	})
	s := f.Stats()
	require.Positive(t, f.Reserved())
	require.LessOrEqual(t, s.Used, f.Reserved()+size/64)
	require.LessOrEqual(t, s.Used, int64(size*7/8))
	time.Sleep(50 * time.Millisecond) // dozens of turns
	require.True(t, f.HasAll(), "without reads all stays as it is")

	require.NoError(t, errors.Join(f.Close(), db.Close()))
	require.Zero(t, f.Reserved())
	f, db = openSharing(t, fs, size, nil)
	eventually(t, func() bool { return int(f.Stats().Restored) >= tables(t, db) })
	require.Positive(t, f.Stats().Filters)
	require.Zero(t, f.Stats().Loaded)
	eventually(t, func() bool {
		for _, key := range keys {
			_, closer, err := db.Get(key)
			require.NoError(t, err)
			require.NoError(t, closer.Close())
		}
		return f.Stats().Filters == 0 && f.Reserved() == 0
	})
	require.NoError(t, errors.Join(f.Close(), db.Close()))
}

// TestPriceClimbs: the price is corrected by what comes of it.
func TestPriceClimbs(t *testing.T) {
	f, db := openSharing(t, vfs.NewMem(), 64<<10, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	eventually(t, func() bool {
		for i, key := range missing(keys) {
			require.False(t, has(t, db, f, key))
			require.True(t, has(t, db, f, keys[i]))
		}
		return f.Correction() != 0
	})
	require.NoError(t, errors.Join(f.Close(), db.Close()))
}

// TestSharedCache has two stores in one cache, which one of them outlives and
// closes before its filters.
func TestSharedCache(t *testing.T) {
	cache := pebble.NewCache(512 << 10)
	defer cache.Unref()
	share := func(o *pebble.Options) { o.Cache = cache }
	one, first := openSharing(t, vfs.NewMem(), 0, share)
	other, second := openSharing(t, vfs.NewMem(), 0, share)
	keys := storetest.Fill(t, first, 2000, 20)
	storetest.Fill(t, second, 2000, 20)
	eventually(t, func() bool {
		for _, key := range missing(keys) {
			require.False(t, has(t, first, one, key))
			require.False(t, has(t, second, other, key))
		}
		return one.Stats().Filters > 0 && other.Stats().Filters > 0
	})
	if err := first.Close(); err != nil {
		require.ErrorContains(t, err, "leaked iterators")
	}
	require.NoError(t, one.Close())
	for _, key := range keys {
		require.True(t, has(t, second, other, key))
	}
	require.NoError(t, errors.Join(other.Close(), second.Close()))
}

// TestCacheForNothing: a cache that is smaller than a filter, or than the
// memtables, hides no key and gives its filters no more than there is.
func TestCacheForNothing(t *testing.T) {
	for name, edit := range map[string]func(*pebble.Options){
		"tiny":      func(*pebble.Options) {},
		"memtables": func(o *pebble.Options) { o.MemTableSize = 1 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			f, db := openSharing(t, vfs.NewMem(), map[string]int64{"tiny": 1 << 10, "memtables": 64 << 10}[name], edit)
			keys := storetest.Fill(t, db, 1000, 20)
			for range 20 {
				for i, key := range missing(keys) {
					require.False(t, has(t, db, f, key))
					require.True(t, has(t, db, f, keys[i]))
				}
				time.Sleep(time.Millisecond)
			}
			require.NoError(t, errors.Join(f.Close(), db.Close()))
		})
	}
}

func TestBudgetOfAutomaticFilters(t *testing.T) {
	f, err := resident.New(resident.Settings{})
	require.NoError(t, err)
	require.ErrorContains(t, f.SetBudget(1<<20), "take their memory off the block cache")
	require.NoError(t, f.Close())
}
