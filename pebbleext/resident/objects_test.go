package resident_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// openRemote opens a store whose tables are objects.
func openRemote(t *testing.T, fs vfs.FS, f *resident.Filters, objects *objectStorage, edit func(*pebble.Options)) *pebble.DB {
	t.Helper()
	f.SetTurnTime(time.Millisecond)
	return openFilters(t, fs, f, func(opts *pebble.Options) {
		objects.SetOptions(opts)
		opts.DisableTableStats = true // which Pebble reads from every table
		// Tables are those that Fill leaves.
		opts.DisableAutomaticCompactions, opts.L0StopWritesThreshold = true, 1000
		if edit != nil {
			edit(opts)
		}
	})
}

func newSavedTo(t *testing.T, file string) *resident.Filters {
	t.Helper()
	f, err := resident.New(resident.Settings{Budget: 1 << 20, File: file})
	require.NoError(t, err)
	return f
}

// missing are keys that a store does not have, between those that it has.
func missing(keys [][]byte) (absent [][]byte) {
	for _, key := range keys[:len(keys)-1] {
		absent = append(absent, fmt.Appendf(nil, "%s-absent", key))
	}
	return absent
}

// TestRestartWithObjectStorage: with saved filters, a process that begins with
// empty caches reads nothing of the tables of which it is asked for absent
// keys, but what false positives take and one open of each table to learn its
// name.
func TestRestartWithObjectStorage(t *testing.T) {
	fs, objects := vfs.NewMem(), newObjectStorage()
	f := newSavedTo(t, "saved")
	db := openRemote(t, fs, f, objects, nil)
	require.NoError(t, db.SetCreatorID(1))
	keys := storetest.Fill(t, db, 3000, 20)
	eventually(t, f.HasAll)
	want := f.Stats()
	require.Positive(t, want.HandedOver)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())

	opens, reads := objects.Opens.Load(), objects.Reads.Load()
	f = newSavedTo(t, "saved")
	db = openRemote(t, fs, f, objects, nil)
	require.EqualValues(t, tables(t, db), f.Stats().Restored, "before the first lookup")
	time.Sleep(50 * time.Millisecond) // dozens of turns of the keeper
	require.Equal(t, opens, objects.Opens.Load())
	require.Equal(t, reads, objects.Reads.Load())

	absent := missing(keys)
	for _, key := range absent {
		require.False(t, has(t, db, f, key))
	}
	require.EqualValues(t, tables(t, db), objects.Opens.Load()-opens, "each table is opened once")
	passed := float64(objects.Reads.Load()-reads) - float64(tables(t, db)) // one read opens a table
	require.Less(t, passed/float64(len(absent)), 0.1)
	for _, key := range keys {
		require.True(t, has(t, db, f, key))
	}
	require.Zero(t, f.Stats().Rejected)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

func tables(t *testing.T, db *pebble.DB) (n int) {
	levels, err := db.SSTables()
	require.NoError(t, err)
	for _, tables := range levels {
		n += len(tables)
	}
	return n
}

// TestLoadedFromObjectStorage loads filters from tables, by few requests each.
func TestLoadedFromObjectStorage(t *testing.T) {
	fs, objects := vfs.NewMem(), newObjectStorage()
	f := newFilters(t, -1)
	db := openRemote(t, fs, f, objects, nil)
	require.NoError(t, db.SetCreatorID(1))
	keys := storetest.Fill(t, db, 3000, 20)
	reads := objects.Reads.Load()
	require.NoError(t, f.SetBudget(1<<20))
	eventually(t, func() bool { return f.Stats().Known == tables(t, db) })
	// A survey that began before may still find a table that is gone.
	require.Less(t, int(objects.Reads.Load()-reads), 2*tables(t, db), "one request tells of a table's filter")
	eventually(t, func() bool {
		for _, key := range missing(keys) {
			require.False(t, has(t, db, f, key))
		}
		return f.Stats().Filters == tables(t, db)
	})
	require.GreaterOrEqual(t, int(f.Stats().Loaded), tables(t, db))
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

// TestSharedTables: two stores share tables. The second has their filters, also
// of a table that it shows only a part of.
func TestSharedTables(t *testing.T) {
	objects := newObjectStorage()
	creator, second := newFilters(t, 1<<20), newFilters(t, 1<<20)
	from := openRemote(t, vfs.NewMem(), creator, objects, nil)
	require.NoError(t, from.SetCreatorID(1))
	keys := storetest.Fill(t, from, 3000, 20)
	to := openRemote(t, vfs.NewMem(), second, objects, nil)
	require.NoError(t, to.SetCreatorID(2))

	first, last := keys[500], keys[2500]
	var shared []pebble.SharedSSTMeta
	require.NoError(t, from.ScanInternal(t.Context(), 0, first, last,
		func(key *pebble.InternalKey, _ pebble.LazyValue, _ pebble.IteratorLevel) error {
			return fmt.Errorf("%s is in no shared table", key)
		},
		nil, nil,
		func(table *pebble.SharedSSTMeta) error {
			shared = append(shared, *table)
			return nil
		}, nil))
	require.NotEmpty(t, shared)
	_, err := to.IngestAndExcise(t.Context(), nil, shared, nil, pebble.KeyRange{Start: first, End: last})
	require.NoError(t, err)

	absent := missing(keys)
	eventually(t, func() bool {
		for i, key := range keys[:len(absent)] {
			require.Equal(t, 500 <= i && i < 2500, has(t, to, second, key), i)
			require.False(t, has(t, to, second, absent[i]))
		}
		stats := second.Stats()
		return stats.Filters == tables(t, to) && stats.Denied > 0
	})
	require.Zero(t, second.Stats().Rejected)
	for _, table := range shared {
		table.Backing.Close()
	}
	for f, db := range map[*resident.Filters]*pebble.DB{creator: from, second: to} {
		require.NoError(t, f.Close())
		require.NoError(t, db.Close())
	}
}

// TestExternalFiles: a store shows a file that it wrote itself, whose filter is
// in memory, with a prefix before its keys. From then on no filter is asked.
func TestExternalFiles(t *testing.T) {
	objects, reported := newObjectStorage(), make(chan error, 100)
	f := newFilters(t, 1<<20)
	var opts *pebble.Options
	fs := vfs.NewMem()
	db := openRemote(t, fs, f, objects, func(o *pebble.Options) {
		o.AddEventListener(pebble.EventListener{BackgroundError: func(err error) { reported <- err }})
		opts = o
	})
	require.NoError(t, db.SetCreatorID(1))
	keys := storetest.Fill(t, db, 3000, 20)
	for _, key := range missing(keys) {
		require.False(t, has(t, db, f, key))
	}

	handedOver := f.Stats().HandedOver
	external := writeExternal(t, objects, opts, db, keys[:100])
	require.Equal(t, handedOver+1, f.Stats().HandedOver)
	external.SyntheticPrefix = []byte("p")
	external.StartKey, external.EndKey = []byte("pk"), []byte("pl")
	_, err := db.IngestExternalFiles(t.Context(), []pebble.ExternalFile{external})
	require.NoError(t, err)
	for _, key := range keys[:100] {
		require.True(t, has(t, db, f, append([]byte("p"), key...)), "%s", key)
		require.True(t, has(t, db, f, key))
	}
	require.ErrorIs(t, <-reported, pebbleext.ErrRefused)
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())

	f = newFilters(t, 1<<20)
	opts = storetest.Options(fs, nil)
	objects.SetOptions(opts)
	f.Apply(opts)
	db = storetest.Open(t, "", opts)
	require.ErrorIs(t, f.Start(db, opts), pebbleext.ErrRefused, "the store shows it already")
	require.NoError(t, f.Close())
	require.NoError(t, db.Close())
}

// writeExternal writes a table of those keys as a file that no store has yet.
func writeExternal(t *testing.T, objects *objectStorage, opts *pebble.Options, db *pebble.DB, keys [][]byte) pebble.ExternalFile {
	t.Helper()
	object, err := objects.CreateObject("external.sst")
	require.NoError(t, err)
	writerOptions := opts.Clone()
	writerOptions.EnsureDefaults()
	w := sstable.NewWriter(objstorageprovider.NewRemoteWritable(object), writerOptions.MakeWriterOptions(6, db.TableFormat()))
	for _, key := range keys {
		require.NoError(t, w.Set(key, []byte("external")))
	}
	require.NoError(t, w.Close())
	info, err := w.Raw().Metadata()
	require.NoError(t, err)
	return pebble.ExternalFile{ObjName: "external.sst", Size: info.Size, HasPointKey: true}
}

// TestObjectStorageSetLate: filters cannot see what a store shows if the object
// storage was set after Apply, or if two stores have the same options.
func TestObjectStorageSetLate(t *testing.T) {
	open := func(opts *pebble.Options, dir string) *pebble.DB {
		db := storetest.Open(t, dir, opts)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	f := newFilters(t, 1<<20)
	opts := storetest.Options(vfs.NewMem(), nil)
	f.Apply(opts)
	newObjectStorage().SetOptions(opts)
	require.ErrorContains(t, f.Start(open(opts, "late"), opts), "set Options.Experimental.RemoteStorage, apply")

	f.Apply(opts)
	require.NoError(t, f.Start(open(opts, "a"), opts))
	other := newFilters(t, 1<<20)
	require.ErrorContains(t, other.Start(open(opts, "b"), opts), "open one store")
	require.NoError(t, other.Close())
	require.NoError(t, f.Close())
}

// TestObjectStorageFails: while requests in the background fail or hang,
// lookups go on and are right. Filters are loaded once requests do not fail any
// more, and Close does not wait for an answer.
func TestObjectStorageFails(t *testing.T) {
	for name, answer := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return errors.New("no answer") },
		"hangs": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, f := newObjectStorage(), newFilters(t, -1)
			db := openRemote(t, vfs.NewMem(), f, objects, nil)
			require.NoError(t, db.SetCreatorID(1))
			keys := storetest.Fill(t, db, 3000, 20)
			var requests atomic.Int64
			objects.Before(func(ctx context.Context) error {
				if ctx.Done() == nil {
					return nil // of a lookup
				}
				requests.Add(1)
				return answer(ctx)
			})
			require.NoError(t, f.SetBudget(1<<20))
			eventually(t, func() bool { return requests.Load() > 0 })
			lookUp := func() {
				for _, key := range missing(keys) {
					require.False(t, has(t, db, f, key))
				}
				for _, key := range keys {
					require.True(t, has(t, db, f, key))
				}
			}
			lookUp()
			require.Zero(t, f.Stats().Known)
			require.LessOrEqual(t, int(requests.Load()), 20*tables(t, db), "it waits twice as long each time")
			if name == "fails" {
				objects.Before(nil)
				eventually(t, func() bool {
					lookUp()
					return f.Stats().Filters == tables(t, db)
				})
			}
			require.NoError(t, f.Close())
			require.NoError(t, db.Close())
		})
	}
}
