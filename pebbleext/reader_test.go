package pebbleext_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// eachWay runs a test for Readers of each way.
func eachWay(test func(pointread.Way)) {
	for _, way := range []pointread.Way{pointread.Get, pointread.Tables, pointread.Index} {
		func() {
			defer pointread.Force(way)() // also if the test fails
			test(way)
		}()
	}
}

func TestReaderSeesTheStateAtTheCall(t *testing.T) {
	db := storetest.New(t, nil)
	storetest.Fill(t, db, 100, 10)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	key := []byte("key00007")

	require.NoError(t, db.Set(key, []byte("new"), nil))
	value, closer, err := r.Get(key)
	require.NoError(t, err)
	require.Equal(t, "new", string(value))

	require.NoError(t, db.Delete(key, nil))
	require.NoError(t, db.Flush())
	require.Equal(t, "new", string(value), "valid until closed")
	require.NoError(t, closer.Close())
	_, _, err = r.Get(key)
	require.ErrorIs(t, err, pebble.ErrNotFound)
	has, err := r.Has(key)
	require.NoError(t, err)
	require.False(t, has)
}

func TestGetManySeesOneState(t *testing.T) {
	db := storetest.New(t, nil)
	keys := storetest.Fill(t, db, 100, 10)
	visited := 0
	require.NoError(t, pebbleext.ReaderOf(db, nil, pebbleext.Options{}).GetMany(keys, func(i int, _ []byte) error {
		visited++
		return db.DeleteRange(keys[0], []byte("z"), nil)
	}))
	require.Equal(t, len(keys), visited)
}

func TestManyInAnyOrder(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	db := storetest.New(t, nil)
	storetest.Fill(t, db, 100, 10)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	keys := [][]byte{[]byte("key00030"), []byte("key00010x"), []byte("key00010"), {}, []byte("key00030")}
	var got []string
	asked := storetest.Queries(db, func() {
		require.NoError(t, r.HasMany(keys, func(i int) { got = append(got, string(keys[i])) }))
	})
	require.EqualValues(t, 4, asked, "the empty key is outside of the tables")
	require.Equal(t, []string{"key00010", "key00030", "key00030"}, got)
	require.NoError(t, r.GetMany(nil, nil))

	stop := errors.New("stop")
	require.Equal(t, stop, r.GetMany(keys, func(int, []byte) error { return stop }))
}

// TestPanicLeavesNothingOpen: the store can be closed after a function of the
// caller has panicked.
func TestPanicLeavesNothingOpen(t *testing.T) {
	db := storetest.New(t, nil) // fails if an iterator is open when the test ends
	keys := storetest.Fill(t, db, 100, 10)
	absent := [][]byte{[]byte("key00007x")}
	stop := func() { panic("stop") }
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Absent: func([]byte) { stop() }})
	for name, do := range map[string]func(){
		"GetMany":         func() { _ = r.GetMany(keys, func(int, []byte) error { stop(); return nil }) },
		"HasMany":         func() { _ = r.HasMany(keys, func(int) { stop() }) },
		"absent, Get":     func() { _ = storetest.Closed(r.Get(absent[0])) },
		"absent, Has":     func() { _, _ = r.Has(absent[0]) },
		"absent, GetMany": func() { _ = r.GetMany(absent, nil) },
	} {
		require.PanicsWithValue(t, "stop", do, name)
	}
}

// TestKeysAreTold: by each method, before the lookup, whatever comes of it.
func TestKeysAreTold(t *testing.T) {
	db := storetest.New(t, nil)
	keys := storetest.Fill(t, db, 100, 10)
	var asked [][]byte
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Asked: func(key []byte) { asked = append(asked, key) }})
	batch := db.NewIndexedBatch()
	defer func() { require.NoError(t, batch.Close()) }()
	require.NoError(t, storetest.Closed(r.Get(keys[0])))
	_, err := r.Has([]byte("absent"))
	require.NoError(t, err)
	require.NoError(t, r.HasMany([][]byte{keys[2], keys[1]}, func(int) {
		require.Len(t, asked, 4)
	}))
	require.NoError(t, storetest.Closed(r.Over(batch).Get(keys[3])))
	stop := errors.New("stop")
	require.Equal(t, stop, r.GetMany(keys[4:6], func(int, []byte) error { return stop }))
	require.Equal(t, [][]byte{keys[0], []byte("absent"), keys[2], keys[1], keys[3], keys[4], keys[5]}, asked)
}

// TestFailuresAreNoMisses: a key whose lookup failed is not said to be absent.
func TestFailuresAreNoMisses(t *testing.T) {
	fs := &storetest.CountingFS{FS: vfs.NewMem(), Suffix: ".sst"}
	db := storetest.New(t, func(opts *pebble.Options) { opts.FS = fs; opts.CacheSize = 1 })
	keys := storetest.Fill(t, db, 1000, 100)
	var missed [][]byte
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{Absent: func(key []byte) { missed = append(missed, key) }})
	require.NoError(t, storetest.Closed(r.Get(keys[0])), "opens the table")
	fs.Fail.Store(math.MaxInt64)
	for range 300 { // nor does Get take it for one when it chooses its way
		require.ErrorIs(t, storetest.Closed(r.Get(keys[0])), storetest.ErrRead)
	}
	_, err := r.Has(keys[0])
	require.ErrorIs(t, err, storetest.ErrRead)
	require.ErrorIs(t, r.GetMany(keys, nil), storetest.ErrRead)
	require.ErrorIs(t, r.HasMany(keys, nil), storetest.ErrRead)
	fs.Fail.Store(0)
	require.Empty(t, missed)
	_, err = r.Has([]byte("key00007x"))
	require.NoError(t, err)
	require.Len(t, missed, 1)
}

// TestReaderFailsAsGet compares panics and errors, of stores and merges.
func TestReaderFailsAsGet(t *testing.T) {
	eachWay(func(way pointread.Way) {
		t.Run(way.String(), checkFailures)
	})
}

func checkFailures(t *testing.T) {
	key := []byte("key00007")
	outcome := func(do func() error) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = fmt.Sprintf("panic: %v", p)
			}
		}()
		return do()
	}
	check := func(t *testing.T, r *pebbleext.Reader, reader pebble.Reader) {
		want := outcome(func() error { return storetest.Closed(reader.Get(key)) })
		require.NotNil(t, want)
		r = r.Over(reader)
		for name, do := range map[string]func() error{
			"Get":     func() error { return storetest.Closed(r.Get(key)) },
			"Has":     func() error { _, err := r.Has(key); return err },
			"GetMany": func() error { return r.GetMany([][]byte{key}, nil) },
			"HasMany": func() error { return r.HasMany([][]byte{key}, nil) },
		} {
			require.Equal(t, want, outcome(do), name)
		}
	}
	t.Run("closed store", func(t *testing.T) {
		db := storetest.Open(t, "", storetest.Options(vfs.NewMem(), filterpolicy.Bloom(10)))
		r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
		require.NoError(t, db.Close())
		check(t, r, db)
	})
	t.Run("closed snapshot", func(t *testing.T) {
		db := storetest.New(t, nil)
		snapshot := db.NewSnapshot()
		require.NoError(t, snapshot.Close())
		check(t, pebbleext.ReaderOf(db, nil, pebbleext.Options{}), snapshot)
	})
	t.Run("batch without index", func(t *testing.T) {
		db := storetest.New(t, nil)
		batch := db.NewBatch()
		defer batch.Close()
		check(t, pebbleext.ReaderOf(db, nil, pebbleext.Options{}), batch)
	})
	t.Run("failing merge", func(t *testing.T) {
		failure := errors.New("merge fails")
		db := storetest.New(t, func(opts *pebble.Options) {
			merger := *pebble.DefaultMerger
			merger.Merge = func(key, value []byte) (pebble.ValueMerger, error) { return nil, failure }
			opts.Merger = &merger
		})
		require.NoError(t, db.Merge(key, []byte("x"), nil))
		check(t, pebbleext.ReaderOf(db, nil, pebbleext.Options{}), db)
	})
	t.Run("unreadable block", func(t *testing.T) {
		fs := &storetest.CountingFS{FS: vfs.NewMem(), Suffix: ".sst"}
		db := storetest.New(t, func(opts *pebble.Options) { opts.FS = fs; opts.CacheSize = 1 })
		keys := storetest.Fill(t, db, 1000, 100)
		r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
		require.NoError(t, storetest.Closed(r.Get(key)), "opens the table")
		fs.Fail.Store(math.MaxInt64)
		check(t, r, db)
		fs.Fail.Store(1)
		require.ErrorIs(t, r.HasMany(keys, func(int) {}), storetest.ErrRead, "a failure among successes")
	})
}

// TestEqualKeys asks for keys in other bytes than they were written in, which
// the comparer calls equal.
func TestEqualKeys(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.Comparer = &cockroachkvs.Comparer
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(&cockroachkvs.KeySchema)
	})
	plain := cockroachkvs.EncodeMVCCKey(nil, []byte("key"), 5, 7)
	synthetic := append(plain[:len(plain)-1:len(plain)-1], 1, 14) // a flag that comparisons ignore
	require.True(t, cockroachkvs.Comparer.Equal(plain, synthetic))
	for _, around := range []string{"a", "z"} {
		require.NoError(t, db.Set(cockroachkvs.EncodeMVCCKey(nil, []byte(around), 5, 7), nil, nil))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Set(synthetic, []byte("value"), nil)) // tables drop the flag, memtables keep it
	r := pebbleext.ReaderOf(db, &cockroachkvs.Comparer, pebbleext.Options{})
	require.Positive(t, storetest.Queries(db, func() {
		value, err := storetest.Get(t, r, plain)
		require.NoError(t, err)
		require.Equal(t, "value", string(value))
	}))
}

// TestHasReadsNoValue separates values into blob files and counts their reads.
func TestHasReadsNoValue(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	fs := &storetest.CountingFS{FS: vfs.NewMem(), Suffix: ".blob"}
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.FS = fs
		opts.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
			return pebble.ValueSeparationPolicy{
				Enabled: true, MinimumSize: 100, MaxBlobReferenceDepth: 10, TargetGarbageRatio: 1,
			}
		}
	})
	keys := storetest.Fill(t, db, 200, 1000)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	fs.Reads.Store(0)
	require.Positive(t, storetest.Queries(db, func() {
		for _, key := range keys {
			has, err := r.Has(key)
			require.NoError(t, err)
			require.True(t, has)
		}
		require.NoError(t, r.HasMany(keys, func(int) {}))
	}))
	require.Zero(t, fs.Reads.Load())
	require.NoError(t, storetest.Closed(r.Get(keys[0])))
	require.Positive(t, fs.Reads.Load())
}

// TestReaderConcurrently is for the race detector.
func TestReaderConcurrently(t *testing.T) {
	db := storetest.New(t, nil)
	keys := storetest.Fill(t, db, 200, 10)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i, key := range keys {
				absent := append([]byte{}, key...)
				absent = append(absent, 'x')
				if err := storetest.Closed(r.Get(absent)); err != pebble.ErrNotFound {
					t.Errorf("Get(%q) = %v", absent, err)
				}
				if err := storetest.Closed(r.Get(key)); err != nil {
					t.Errorf("Get(%q) = %v", key, err)
				}
				if i%4 == worker {
					if err := db.Set(key, absent, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	workers.Wait()
}

func TestLookupsDoNotAllocate(t *testing.T) {
	db := storetest.New(t, nil)
	storetest.Fill(t, db, 1000, 100)
	eachWay(func(way pointread.Way) {
		if way == pointread.Get {
			return // pebble.DB.Get may allocate
		}
		r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
		for name, key := range map[string][]byte{"present": []byte("key00500"), "absent": []byte("key00500x")} {
			lookups := map[string]func(){
				"Get": func() { _ = storetest.Closed(r.Get(key)) },
				"Has": func() { _, _ = r.Has(key) },
			}
			for method, lookup := range lookups {
				require.Zero(t, testing.AllocsPerRun(1000, lookup), "%s, %s, %s", way, method, name)
			}
		}
	})
}
