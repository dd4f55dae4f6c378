package pebbleext_test

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// openWith opens a store of a comparer, with index filters, a Reader that goes one
// way, and tables where flush is called.
func openWith(t *testing.T, comparer *pebble.Comparer, way pointread.Way) *pebbleext.DB {
	defer pointread.Force(way)()
	opts := &pebble.Options{Comparer: comparer, FS: vfs.NewMem(), Logger: storetest.QuietLogger{}, DisableAutomaticCompactions: true}
	db, err := pebbleext.Open("", opts, pebbleext.Options{Plan: storetest.ParsePlan(t, "bloom:10;index=8")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// TestComparerWithoutSuccessor: Pebble asks for immediate successors in tables
// with range deletions (SeekPrefixGE), and panics if there are none.
func TestComparerWithoutSuccessor(t *testing.T) {
	comparer := *pebble.DefaultComparer
	comparer.Name, comparer.ImmediateSuccessor = "without successor", nil
	eachWay(func(way pointread.Way) {
		db := openWith(t, &comparer, way)
		keys := [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("d")}
		for _, key := range keys[:3] {
			require.NoError(t, db.Set(key, key, nil))
		}
		require.NoError(t, db.Flush())
		require.NoError(t, db.DeleteRange([]byte("b"), []byte("c"), nil))
		require.NoError(t, db.Flush())
		batch := db.NewIndexedBatch()
		require.NoError(t, batch.DeleteRange([]byte("c"), []byte("d"), nil))
		for name, reader := range map[string]pebble.Reader{"db": db.DB, "batch": batch} {
			storetest.RequireAgree(t, name, reader, db.Over(reader), keys)
		}
		require.NoError(t, batch.Close())
		require.Contains(t, db.Way(), "get: ")
		require.Contains(t, db.Way(), "the comparer has no ImmediateSuccessor")
	})
}

// TestComparerWithWrongSuccessor: that of pebble.DefaultComparer with another
// Split is not behind all keys of a prefix, and Pebble cuts range deletions off
// there.
func TestComparerWithWrongSuccessor(t *testing.T) {
	comparer := *pebble.DefaultComparer
	comparer.Name = "first byte"
	comparer.Split = func(key []byte) int { return min(1, len(key)) }
	eachWay(func(way pointread.Way) {
		db := openWith(t, &comparer, way)
		keys := [][]byte{[]byte("a"), []byte("b"), []byte("b\x00"), []byte("b1"), []byte("b2"), []byte("c")}
		for _, key := range [][]byte{keys[2], keys[3]} {
			require.NoError(t, db.Set(key, key, nil))
		}
		require.NoError(t, db.Flush())
		require.NoError(t, db.Compact(t.Context(), []byte("a"), []byte("z"), false))
		require.NoError(t, db.Set(keys[1], nil, nil))
		require.NoError(t, db.DeleteRange(keys[2], []byte("b\xff"), nil))
		require.NoError(t, db.Flush())
		batch := db.NewIndexedBatch()
		require.NoError(t, batch.Set(keys[4], nil, nil))
		for name, reader := range map[string]pebble.Reader{"db": db.DB, "batch": batch} {
			for _, key := range keys { // each alone, before another one tells
				storetest.RequireAgree(t, name, reader, db.Over(reader), [][]byte{key})
			}
			storetest.RequireAgree(t, name, reader, db.Over(reader), keys)
		}
		require.NoError(t, batch.Close())
		if way != pointread.Get {
			require.Contains(t, db.Way(), "get: ")
			require.Contains(t, db.Way(), "is not behind the key b")
		}
	})
}

// TestComparerOfWholeKeys keeps its ways.
func TestComparerOfWholeKeys(t *testing.T) {
	db := openWith(t, nil, pointread.Index)
	require.NoError(t, db.Set([]byte("key"), nil, nil))
	require.NoError(t, storetest.Closed(db.Get([]byte("key"))))
	require.Contains(t, db.Way(), "index: ")
}

// TestPrefixInSuffix: bytes that end in a key's suffix are the prefix of no range
// of keys.
func TestPrefixInSuffix(t *testing.T) {
	comparer := *pebble.DefaultComparer
	comparer.Name = "with-suffixes"
	comparer.Split = func(key []byte) int {
		if at := bytes.IndexByte(key, '@'); at >= 0 {
			return at
		}
		return len(key)
	}
	db := openWith(t, &comparer, pointread.Get)
	_, err := db.NewPrefixIter([]byte("k@2"), nil)
	require.EqualError(t, err, `"k@2" begins no key of with-suffixes`)
	iter, err := db.NewPrefixIter([]byte("k"), nil)
	require.NoError(t, err)
	require.NoError(t, iter.Close())
}
