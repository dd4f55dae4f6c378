package resident_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// openFilters opens a store whose filters are f's.
func openFilters(t testing.TB, fs vfs.FS, f *resident.Filters, edit func(*pebble.Options)) *pebble.DB {
	opts := storetest.Options(fs, filterpolicy.Bloom(10))
	if edit != nil {
		edit(opts)
	}
	f.Apply(opts)
	db := storetest.Open(t, "", opts)
	require.NoError(t, f.Start(db, opts))
	return db
}

func newFilters(t testing.TB, budget int64) *resident.Filters {
	f, err := resident.New(resident.Settings{Budget: budget})
	require.NoError(t, err)
	return f
}

// eventually waits until what is done in the background is there. Unlike
// require.Eventually it ends at once where done fails the test.
func eventually(t testing.TB, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it takes too long")
	}
}

// has looks a key up.
func has(t testing.TB, db *pebble.DB, f *resident.Filters, key []byte) bool {
	q := f.Query(key)
	iter, err := db.NewIter(&pebble.IterOptions{PointKeyFilters: q.PointKeyFilters()})
	require.NoError(t, err)
	found := iter.SeekPrefixGE(key) && string(iter.Key()) == string(key)
	require.NoError(t, iter.Close())
	q.Done()
	return found
}

func TestHandedOver(t *testing.T) {
	f := newFilters(t, 1<<20)
	counter := filterpolicy.NewCounter()
	db := openFilters(t, vfs.NewMem(), f, counter.CountIn)
	keys := storetest.Fill(t, db, 3000, 20)
	for _, key := range keys {
		require.True(t, has(t, db, f, key))
		require.False(t, has(t, db, f, fmt.Appendf(nil, "%s-absent", key)))
	}
	eventually(t, func() bool { return f.Stats().Denied > 0 })
	s := f.Stats()
	t.Logf("%+v", s)
	require.Positive(t, s.HandedOver)
	require.NotEmpty(t, counter.Stats(), "queries are counted as those of filters in the cache")
	require.Zero(t, s.Rejected)
	require.NoError(t, f.Close())
	require.Zero(t, f.Stats().Used)
	require.NoError(t, db.Close())
}

// TestWritten: whether a store is written follows what is done with it.
func TestWritten(t *testing.T) {
	f := newFilters(t, 1<<20)
	f.SetTurnTime(time.Millisecond)
	require.True(t, f.Written(), "not known yet")
	db := openFilters(t, vfs.NewMem(), f, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	for _, do := range []struct {
		written bool
		op      func(key []byte)
	}{
		{false, func(key []byte) { require.NoError(t, storetest.Closed(db.Get(key))) }},
		{true, func(key []byte) { require.NoError(t, db.Set(key, nil, nil)) }},
		{false, func(key []byte) { require.NoError(t, storetest.Closed(db.Get(key))) }},
	} {
		storetest.CompactAll(t, db, []byte("a"), []byte("z"))
		eventually(t, func() bool {
			for _, key := range keys[:300] {
				do.op(key)
			}
			return f.Written() == do.written
		})
	}
	require.NoError(t, errors.Join(f.Close(), db.Close()))
}

func TestLoaded(t *testing.T) {
	f := newFilters(t, -1)
	db := openFilters(t, vfs.NewMem(), f, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	require.NoError(t, f.SetBudget(1<<20))
	eventually(t, func() bool {
		for _, key := range keys[:100] {
			require.True(t, has(t, db, f, key))
			require.False(t, has(t, db, f, fmt.Appendf(nil, "%s-absent", key)))
		}
		return f.Stats().Denied > 0
	})
	s := f.Stats()
	t.Logf("%+v", s)
	require.Positive(t, s.Loaded)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

// TestCloseEndsAll closes at any moment, while filters are learned and loaded,
// with lookups under way: no goroutine is left, and lookups stay right.
func TestCloseEndsAll(t *testing.T) {
	before := runtime.NumGoroutine()
	fs := vfs.NewMem()
	for turn := range 20 {
		f := newFilters(t, 1<<20)
		f.SetTurnTime(time.Millisecond / 10)
		db := openFilters(t, fs, f, nil)
		keys := storetest.Fill(t, db, 300, 20)
		require.NoError(t, f.SetBudget(0))
		require.NoError(t, f.SetBudget(1<<20))
		var lookups sync.WaitGroup
		lookups.Go(func() {
			for _, key := range keys {
				if !has(t, db, f, key) {
					t.Errorf("%q is hidden", key)
				}
			}
		})
		time.Sleep(time.Duration(turn) * time.Millisecond / 10)
		require.NoError(t, f.Close())
		require.NoError(t, f.Close())
		lookups.Wait()
		require.Zero(t, f.Stats().Used)
		require.NoError(t, db.Close())
	}
	storetest.RequireGoroutines(t, before)
}

// TestTablesReplacedWhileTheirFiltersLoad compacts all tables again and again
// while filters are loaded from them: tables that are gone are no error, and no
// key is hidden.
func TestTablesReplacedWhileTheirFiltersLoad(t *testing.T) {
	f := newFilters(t, -1)
	f.SetTurnTime(time.Millisecond / 10)
	db := openFilters(t, vfs.NewMem(), f, func(opts *pebble.Options) {
		opts.AddEventListener(pebble.EventListener{BackgroundError: func(err error) { t.Error(err) }})
	})
	keys := storetest.Fill(t, db, 1000, 20)
	loaded := uint64(0)
	for turn := 0; turn < 1000 && loaded < 20; turn++ {
		require.NoError(t, f.SetBudget(int64(turn%2)<<20))
		var lookups sync.WaitGroup
		lookups.Go(func() {
			for _, key := range keys {
				if !has(t, db, f, key) || has(t, db, f, append(key, '+')) {
					t.Errorf("%q is hidden, or what follows is found", key)
				}
			}
		})
		for _, key := range keys[turn%10*100:][:100] {
			require.NoError(t, db.Set(key, []byte{byte(turn)}, nil))
		}
		storetest.CompactAll(t, db, []byte("a"), []byte("z"))
		lookups.Wait()
		loaded = f.Stats().Loaded
	}
	require.Positive(t, loaded)
	require.Zero(t, f.Stats().Rejected)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

func TestSettings(t *testing.T) {
	_, err := resident.New(resident.Settings{LoadRate: -1})
	require.ErrorContains(t, err, "negative")
	f := newFilters(t, -1)
	require.ErrorContains(t, f.SetBudget(-1), "negative")
	require.NoError(t, f.Close())
}

// TestBatchSeesOneState writes to an indexed batch in the middle of a GetMany
// whose iterator is made anew as filters answer: it shows nothing of that.
func TestBatchSeesOneState(t *testing.T) {
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.DisableAutomaticCompactions = true
	db, err := pebbleext.Open("", opts, pebbleext.Options{FilterMemory: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	keys := storetest.Fill(t, db.DB, 300, 20)
	for i := 0; i < 300; i += 3 { // a table above, with keys between
		key := append(keys[i], '+')
		require.NoError(t, db.Set(key, nil, nil))
		keys = append(keys, key)
	}
	require.NoError(t, db.Flush())
	batch := db.NewIndexedBatch()
	defer func() { require.NoError(t, batch.Close()) }()
	require.NoError(t, batch.Set([]byte("key"), nil, nil)) // an empty batch has no view
	reader := db.Over(batch)
	var found int
	require.NoError(t, reader.GetMany(keys, func(int, []byte) error {
		found++
		return batch.DeleteRange([]byte("a"), []byte("z"), nil)
	}))
	require.Equal(t, len(keys), found)
}
