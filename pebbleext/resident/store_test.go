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
	db := openFilters(t, vfs.NewMem(), f, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	for _, key := range keys {
		require.True(t, has(t, db, f, key))
		require.False(t, has(t, db, f, fmt.Appendf(nil, "%s-absent", key)))
	}
	require.Eventually(t, func() bool { return f.Stats().Denied > 0 }, 5*time.Second, time.Millisecond)
	s := f.Stats()
	t.Logf("%+v", s)
	require.Positive(t, s.HandedOver)
	require.Zero(t, s.Rejected)
	require.NoError(t, f.Close())
	require.Zero(t, f.Stats().Used)
	require.NoError(t, db.Close())
}

func TestLoaded(t *testing.T) {
	f := newFilters(t, 0)
	db := openFilters(t, vfs.NewMem(), f, nil)
	keys := storetest.Fill(t, db, 3000, 20)
	require.NoError(t, f.SetBudget(1<<20))
	require.Eventually(t, func() bool {
		for _, key := range keys[:100] {
			require.True(t, has(t, db, f, key))
			require.False(t, has(t, db, f, fmt.Appendf(nil, "%s-absent", key)))
		}
		return f.Stats().Denied > 0
	}, 5*time.Second, time.Millisecond)
	s := f.Stats()
	t.Logf("%+v", s)
	require.Positive(t, s.Loaded)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

// TestRestored closes a store and opens it again: filters come from the file
// that Close wrote, those that tables still have.
func TestRestored(t *testing.T) {
	fs := vfs.NewMem()
	open := func(fs vfs.FS) (*resident.Filters, *pebble.DB) {
		f, err := resident.New(resident.Settings{Budget: 1 << 20, File: "saved"})
		require.NoError(t, err)
		f.SetTurnTime(time.Millisecond)
		return f, openFilters(t, fs, f, nil)
	}
	f, db := open(fs)
	keys := storetest.Fill(t, db, 3000, 20)
	saved := f.Stats().Filters
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())

	f, db = open(fs)
	require.Eventually(t, func() bool { return f.Stats().Restored > 0 }, 5*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return int(f.Stats().Restored) == f.Stats().Known }, 5*time.Second, time.Millisecond)
	require.LessOrEqual(t, f.Stats().Filters, saved)
	for _, key := range keys {
		require.True(t, has(t, db, f, key))
	}
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())

	other := vfs.NewMem()
	_, err := vfs.Clone(fs, other, "saved", "saved")
	require.NoError(t, err)
	f, db = open(other) // another store with this one's file
	storetest.Fill(t, db, 3000, 20)
	require.Zero(t, f.Stats().Restored)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

func TestDamagedSavedFileIsReported(t *testing.T) {
	fs := vfs.NewMem()
	file, err := fs.Create("saved", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = file.Write([]byte("no such file"))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	f, err := resident.New(resident.Settings{Budget: 1 << 20, File: "saved"})
	require.NoError(t, err)
	reported := make(chan error, 1)
	db := openFilters(t, fs, f, func(opts *pebble.Options) {
		opts.AddEventListener(pebble.EventListener{BackgroundError: func(err error) { reported <- err }})
	})
	require.ErrorContains(t, <-reported, "not a whole file of saved filters")
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
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}

func TestSettings(t *testing.T) {
	_, err := resident.New(resident.Settings{Budget: -1})
	require.ErrorContains(t, err, "negative")
	_, err = resident.New(resident.Settings{LoadRate: -1})
	require.ErrorContains(t, err, "negative")
	f := newFilters(t, 0)
	require.ErrorContains(t, f.SetBudget(-1), "negative")
	require.NoError(t, f.Close())
}

// TestBatchSeesOneState writes to an indexed batch in the middle of a GetMany
// whose iterator is made anew as filters answer: it shows nothing of that.
func TestBatchSeesOneState(t *testing.T) {
	f := newFilters(t, 1<<20)
	db := openFilters(t, vfs.NewMem(), f, func(opts *pebble.Options) { opts.DisableAutomaticCompactions = true })
	t.Cleanup(func() { require.NoError(t, errors.Join(f.Close(), db.Close())) })
	keys := storetest.Fill(t, db, 300, 20)
	for i := 0; i < 300; i += 3 { // a table above, with keys between
		key := append(keys[i], '+')
		require.NoError(t, db.Set(key, nil, nil))
		keys = append(keys, key)
	}
	require.NoError(t, db.Flush())
	batch := db.NewIndexedBatch()
	defer func() { require.NoError(t, batch.Close()) }()
	require.NoError(t, batch.Set([]byte("key"), nil, nil)) // an empty batch has no view
	reader := pebbleext.NewReader(db, nil, pebbleext.WithResident(f)).Over(batch)
	var found int
	require.NoError(t, reader.GetMany(keys, func(int, []byte) error {
		found++
		return batch.DeleteRange([]byte("a"), []byte("z"), nil)
	}))
	require.Equal(t, len(keys), found)
}
