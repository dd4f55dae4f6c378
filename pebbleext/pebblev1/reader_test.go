package pebblev1_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// TestReaderAsksL6 looks up the keys of a store that lies wholly in L6, where
// pebble.DB.Get asks no filter.
func TestReaderAsksL6(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	const keys = 5_000
	for _, text := range policies {
		t.Run(text, func(t *testing.T) {
			db, reader := open(t, "", storeOptions(vfs.NewMem(), parse(t, text)))
			fill(t, db, keys)
			no, maybe := asked(db, func() {
				for i := range keys - 1 {
					require.Equal(t, pebble.ErrNotFound, closed(db.Get(key(2*i+1))))
				}
			})
			require.Zero(t, no+maybe, "DB.Get asks no filter")

			no, maybe = asked(db, func() {
				for i := range keys {
					value, closer, err := reader.Get(key(2 * i))
					require.NoError(t, err)
					require.Equal(t, key(i), value)
					require.NoError(t, closer.Close())
				}
			})
			require.Zero(t, no, "a filter has its keys")
			require.Positive(t, maybe)

			no, _ = asked(db, func() {
				for i := range keys - 1 {
					has, err := reader.Has(key(2*i + 1))
					require.NoError(t, err)
					require.False(t, has)
				}
			})
			require.Greater(t, no, int64(keys*9/10), "filters said no")
		})
	}
}

// TestDBAsksL6 looks up the keys of a store that lies wholly in L6.
func TestDBAsksL6(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	const keys = 1_000
	opts := &pebble.Options{FS: vfs.NewMem(), Logger: quiet{}}
	db, err := pebblev1.Open("", opts, pebblev1.Uniform(filters.Bloom(10)))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	fill(t, db.DB, keys)
	no, maybe := asked(db.DB, func() {
		for i := range keys - 1 {
			require.Equal(t, pebble.ErrNotFound, closed(db.Get(key(2*i+1))))
		}
	})
	require.EqualValues(t, keys-1, no+maybe)
	require.NoError(t, closed(db.Get(key(0))))
	has, err := db.Has(key(0))
	require.NoError(t, err)
	require.True(t, has)
}

// TestReaderAnswersAsGet compares all lookups, in each way and by the rule, with
// pebble.DB.Get, over stores that are written, merged and deleted from at random.
// Half of them have range keys.
func TestReaderAnswersAsGet(t *testing.T) {
	const keys = 500
	all := make([][]byte, keys)
	for i := range all {
		all[i] = key(i)
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		opts := storeOptions(vfs.NewMem(), parse(t, policies[seed]))
		if seed%2 == 0 {
			opts.FormatMajorVersion = pebble.FormatNewest
		}
		db, picky := open(t, "", opts)
		no, maybe := asked(db, func() {
			for range 4 {
				change(t, db, rng, all)
				snapshot, batch := db.NewSnapshot(), db.NewIndexedBatch()
				change(t, db, rng, all)
				write(t, batch, 300, rng, all)
				for _, state := range []pebble.Reader{db, snapshot, batch} {
					eachWay(func() { compareLookups(t, state, pebblev1.ReaderOf(db, opts).Over(state), all) })
				}
				compareLookups(t, db, picky, all)
				require.NoError(t, batch.Close())
				require.NoError(t, snapshot.Close())
			}
		})
		require.Positive(t, no)
		require.Positive(t, maybe)
		require.Positive(t, db.Metrics().Levels[5].NumFiles+db.Metrics().Levels[6].NumFiles)
	}
}

// eachWay runs a test for Readers of each way.
func eachWay(test func()) {
	for _, way := range []pointread.Way{pointread.Get, pointread.Tables, pointread.Index} {
		restore := pointread.Force(way)
		test()
		restore()
	}
}

func change(t *testing.T, db *pebble.DB, rng *rand.Rand, keys [][]byte) {
	write(t, db, 3_000, rng, keys)
	if db.FormatMajorVersion() >= pebble.FormatRangeKeys {
		require.NoError(t, db.RangeKeySet(keys[rng.IntN(len(keys)/2)], keys[len(keys)-1], nil, []byte("range"), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
}

func write(t *testing.T, db pebble.Writer, n int, rng *rand.Rand, keys [][]byte) {
	for range n {
		i := rng.IntN(len(keys))
		value := fmt.Append(nil, rng.Uint64())
		var err error
		switch rng.IntN(20) {
		default:
			err = db.Set(keys[i], value, pebble.NoSync)
		case 0, 1, 2, 3:
			err = db.Delete(keys[i], pebble.NoSync)
		case 4, 5:
			err = db.Merge(keys[i], value, pebble.NoSync)
		case 6:
			err = db.DeleteRange(keys[i], keys[min(i+20, len(keys)-1)], pebble.NoSync)
		}
		require.NoError(t, err)
	}
}

func compareLookups(t *testing.T, db pebble.Reader, reader *pebblev1.Reader, keys [][]byte) {
	want := make(map[int]string)
	for i, k := range keys {
		value, err := get(db, k)
		got, gotErr := get(reader, k)
		require.Equal(t, err, gotErr)
		require.Equal(t, value, got)
		has, hasErr := reader.Has(k)
		require.NoError(t, hasErr)
		require.Equal(t, err == nil, has)
		if err == nil {
			want[i] = value
		}
	}
	got := make(map[int]string)
	require.NoError(t, reader.GetMany(keys, func(i int, value []byte) error {
		got[i] = string(value)
		return nil
	}))
	require.Equal(t, want, got)
	present := 0
	require.NoError(t, reader.HasMany(keys, func(i int) {
		require.Contains(t, want, i)
		present++
	}))
	require.Len(t, want, present)
}

// TestSplitKeys: with a comparer that splits keys, filters hold prefixes, and a
// key is only found if its suffix is the same.
func TestSplitKeys(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	opts := storeOptions(vfs.NewMem(), filters.Bloom(10))
	comparer := *pebble.DefaultComparer
	comparer.Name = "with-suffixes"
	comparer.Split = func(key []byte) int {
		if at := bytes.IndexByte(key, '@'); at >= 0 {
			return at
		}
		return len(key)
	}
	opts.Comparer = &comparer
	pebblev1.Apply(opts, pebblev1.Uniform(filters.Bloom(10)))
	require.Same(t, &comparer, opts.Comparer, "it has a Split")
	db, reader := open(t, "", opts)
	for _, k := range []string{"a@1", "k@2", "k@4", "z@1"} {
		require.NoError(t, db.Set([]byte(k), []byte(k), nil))
	}
	require.NoError(t, db.Flush())
	_, maybe := asked(db, func() {
		for k, present := range map[string]bool{"k": false, "k@1": false, "k@2": true, "k@3": false, "k@4": true} {
			has, err := reader.Has([]byte(k))
			require.NoError(t, err)
			require.Equal(t, present, has, k)
		}
	})
	require.EqualValues(t, 5, maybe)

	// The comparer's ImmediateSuccessor is that of whole keys.
	all := [][]byte{[]byte("a"), []byte("a@1"), []byte("k"), []byte("k@2"), []byte("k@3"), []byte("k@4"), []byte("z@1")}
	eachWay(func() { compareLookups(t, db, pebblev1.ReaderOf(db, opts), all) })
}

// TestFromPebblesFilters: tables that Pebble's own policy wrote stay readable
// with their filters after Apply, and those of Gravel beside them.
func TestFromPebblesFilters(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	fs := vfs.NewMem()
	opts := storeOptions(fs, bloom.FilterPolicy(10))
	opts.Comparer = nil // as it is without this package
	db, err := pebble.Open("", opts)
	require.NoError(t, err)
	fill(t, db, 1_000)
	require.NoError(t, db.Close())

	db, reader := open(t, "", storeOptions(fs, filters.Bloom(10)))
	lookUp := func(first, last int) (no int64) {
		no, _ = asked(db, func() {
			for i := first; i < last; i++ {
				require.Equal(t, i%2 == 0, closed(reader.Get(key(i))) == nil, i)
			}
		})
		return no
	}
	require.Greater(t, lookUp(0, 1_999), int64(900), "Pebble's filters")
	for i := 1_000; i < 2_000; i++ {
		require.NoError(t, db.Set(key(2*i), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.Greater(t, lookUp(2_001, 3_999), int64(900), "Gravel's filters")
}

func TestReaderNeedsSplit(t *testing.T) {
	db, err := pebble.Open("", &pebble.Options{FS: vfs.NewMem()})
	require.NoError(t, err)
	defer db.Close()
	for _, comparer := range []*pebble.Comparer{pebble.DefaultComparer} {
		opts := &pebble.Options{FS: vfs.NewMem()}
		setup := pebblev1.Apply(opts, pebblev1.Uniform(nil))
		opts.Comparer = comparer
		_, err = setup.NewReader(db)
		require.EqualError(t, err, `comparer "leveldb.BytewiseComparator" has no Split; open the store with the comparer that pebblev1.Apply sets`)
	}
}

func get(reader interface {
	Get([]byte) ([]byte, io.Closer, error)
}, key []byte) (string, error) {
	value, closer, err := reader.Get(key)
	if err != nil {
		return "", err
	}
	owned := string(value) // before Close, which a return statement would not promise
	return owned, closer.Close()
}

func closed(_ []byte, closer io.Closer, err error) error {
	if err != nil {
		return err
	}
	return closer.Close()
}
