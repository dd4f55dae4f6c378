package pebbleext

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// newStore opens a store in memory that is closed with the test.
func newStore(t *testing.T, edit func(*pebble.Options)) *pebble.DB {
	t.Helper()
	opts := storeOptions(vfs.NewMem(), filterpolicy.Bloom(10))
	if edit != nil {
		edit(opts)
	}
	db := openStore(t, "", opts)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// fill writes n keys with values of the given size and moves them to L6.
func fill(t *testing.T, db *pebble.DB, n, valueSize int) [][]byte {
	t.Helper()
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key%05d", i)
		require.NoError(t, db.Set(keys[i], make([]byte, valueSize), nil))
	}
	compactAll(t, db, []byte("a"), []byte("z"))
	return keys
}

func TestReaderSeesTheStateAtTheCall(t *testing.T) {
	db := newStore(t, nil)
	fill(t, db, 100, 10)
	r := NewReader(db, nil)
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
	db := newStore(t, nil)
	keys := fill(t, db, 100, 10)
	visited := 0
	require.NoError(t, NewReader(db, nil).GetMany(keys, func(i int, _ []byte) error {
		visited++
		return db.DeleteRange(keys[0], []byte("z"), nil)
	}))
	require.Equal(t, len(keys), visited)
}

func TestManyInAnyOrder(t *testing.T) {
	db := newStore(t, nil)
	fill(t, db, 100, 10)
	r := NewReader(db, nil)
	keys := [][]byte{[]byte("key00030"), []byte("key00010x"), []byte("key00010"), {}, []byte("key00030")}
	var got []string
	asked := probes(db, func() {
		require.NoError(t, r.HasMany(keys, func(i int) { got = append(got, string(keys[i])) }))
	})
	require.EqualValues(t, 4, asked, "the empty key is outside of the tables")
	require.Equal(t, []string{"key00010", "key00030", "key00030"}, got)
	require.NoError(t, r.GetMany(nil, nil))

	stop := errors.New("stop")
	require.Equal(t, stop, r.GetMany(keys, func(int, []byte) error { return stop }))
}

// TestReaderFailsAsGet compares panics and errors, of stores and merges.
func TestReaderFailsAsGet(t *testing.T) {
	key := []byte("key00007")
	outcome := func(do func() error) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = fmt.Sprintf("panic: %v", p)
			}
		}()
		return do()
	}
	check := func(t *testing.T, reader pebble.Reader) {
		r := NewReader(reader, nil)
		want := outcome(func() error { return closed(reader.Get(key)) })
		require.NotNil(t, want)
		for name, do := range map[string]func() error{
			"Get":     func() error { return closed(r.Get(key)) },
			"Has":     func() error { _, err := r.Has(key); return err },
			"GetMany": func() error { return r.GetMany([][]byte{key}, nil) },
			"HasMany": func() error { return r.HasMany([][]byte{key}, nil) },
		} {
			require.Equal(t, want, outcome(do), name)
		}
	}
	t.Run("closed store", func(t *testing.T) {
		db := openStore(t, "", storeOptions(vfs.NewMem(), filterpolicy.Bloom(10)))
		require.NoError(t, db.Close())
		check(t, db)
	})
	t.Run("closed snapshot", func(t *testing.T) {
		snapshot := newStore(t, nil).NewSnapshot()
		require.NoError(t, snapshot.Close())
		check(t, snapshot)
	})
	t.Run("batch without index", func(t *testing.T) {
		batch := newStore(t, nil).NewBatch()
		defer batch.Close()
		check(t, batch)
	})
	t.Run("failing merge", func(t *testing.T) {
		failure := errors.New("merge fails")
		db := newStore(t, func(opts *pebble.Options) {
			merger := *pebble.DefaultMerger
			merger.Merge = func(key, value []byte) (pebble.ValueMerger, error) { return nil, failure }
			opts.Merger = &merger
		})
		require.NoError(t, db.Merge(key, []byte("x"), nil))
		check(t, db)
	})
	t.Run("unreadable block", func(t *testing.T) {
		fs := &countingFS{FS: vfs.NewMem(), suffix: ".sst"}
		db := newStore(t, func(opts *pebble.Options) { opts.FS = fs; opts.CacheSize = 1 })
		keys := fill(t, db, 1000, 100)
		require.NoError(t, closed(NewReader(db, nil).Get(key)), "opens the table")
		fs.fail.Store(math.MaxInt64)
		check(t, db)
		fs.fail.Store(1)
		require.ErrorIs(t, NewReader(db, nil).HasMany(keys, func(int) {}), errRead, "a failure among successes")
	})
}

// TestEqualKeys asks for keys in other bytes than they were written in, which
// the comparer calls equal.
func TestEqualKeys(t *testing.T) {
	db := newStore(t, func(opts *pebble.Options) {
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
	r := NewReader(db, &cockroachkvs.Comparer)
	require.Positive(t, probes(db, func() {
		value, err := get(t, r, plain)
		require.NoError(t, err)
		require.Equal(t, "value", string(value))
	}))
}

// TestHasReadsNoValue separates values into blob files and counts their reads.
func TestHasReadsNoValue(t *testing.T) {
	fs := &countingFS{FS: vfs.NewMem(), suffix: ".blob"}
	db := newStore(t, func(opts *pebble.Options) {
		opts.FS = fs
		opts.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
			return pebble.ValueSeparationPolicy{
				Enabled: true, MinimumSize: 100, MaxBlobReferenceDepth: 10, TargetGarbageRatio: 1,
			}
		}
	})
	keys := fill(t, db, 200, 1000)
	r := NewReader(db, nil)
	fs.reads.Store(0)
	require.Positive(t, probes(db, func() {
		for _, key := range keys {
			has, err := r.Has(key)
			require.NoError(t, err)
			require.True(t, has)
		}
		require.NoError(t, r.HasMany(keys, func(int) {}))
	}))
	require.Zero(t, fs.reads.Load())
	require.NoError(t, closed(r.Get(keys[0])))
	require.Positive(t, fs.reads.Load())
}

// TestReaderConcurrently is for the race detector.
func TestReaderConcurrently(t *testing.T) {
	db := newStore(t, nil)
	keys := fill(t, db, 200, 10)
	r := NewReader(db, nil)
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i, key := range keys {
				absent := append([]byte{}, key...)
				absent = append(absent, 'x')
				if err := closed(r.Get(absent)); err != pebble.ErrNotFound {
					t.Errorf("Get(%q) = %v", absent, err)
				}
				if err := closed(r.Get(key)); err != nil {
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
	db := newStore(t, nil)
	fill(t, db, 1000, 100)
	r := NewReader(db, nil)
	for name, key := range map[string][]byte{"present": []byte("key00500"), "absent": []byte("key00500x")} {
		lookups := map[string]func(){
			"Get": func() { _ = closed(r.Get(key)) },
			"Has": func() { _, _ = r.Has(key) },
		}
		for method, lookup := range lookups {
			require.Zero(t, testing.AllocsPerRun(1000, lookup), "%s, %s", method, name)
		}
	}
}

func closed(_ []byte, closer io.Closer, err error) error {
	if err != nil {
		return err
	}
	return closer.Close()
}

// countingFS counts reads of files by their names' suffix, and fails some.
type countingFS struct {
	vfs.FS
	suffix string
	reads  atomic.Int64
	fail   atomic.Int64 // how many reads to fail
}

func (fs *countingFS) Unwrap() vfs.FS { return fs.FS }

func (fs *countingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := fs.FS.Open(name, opts...)
	if err != nil || !strings.HasSuffix(name, fs.suffix) {
		return file, err
	}
	return &countingFile{file, fs}, nil
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

var errRead = errors.New("read fails")

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.reads.Add(1)
	if f.fs.fail.Add(-1) >= 0 {
		return 0, errRead
	}
	return f.File.ReadAt(p, off)
}
