package pebbleext_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestDBAsksL6 looks up keys of a store that lies wholly in L6.
func TestDBAsksL6(t *testing.T) {
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem(), Logger: storetest.QuietLogger{}},
		pebbleext.Options{Plan: pebbleext.Uniform(filterpolicy.Bloom(10)), FilterMemory: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	keys := storetest.Fill(t, db.DB, 1000, 10)
	absent := func(get storetest.Getter) func() {
		return func() {
			for i := range keys {
				_, err := storetest.Get(t, get, fmt.Appendf(nil, "key%05d-absent", i))
				require.ErrorIs(t, err, pebble.ErrNotFound)
			}
		}
	}
	require.Zero(t, storetest.Queries(db.DB, absent(db.DB)), "Pebble's own Get asks no filter")
	require.Positive(t, storetest.Queries(db.DB, absent(db)))

	value, err := storetest.Get(t, db, keys[7])
	require.NoError(t, err)
	require.Equal(t, make([]byte, 10), value)
	has, err := db.Has(keys[7])
	require.NoError(t, err)
	require.True(t, has)
}

func TestOpenWithoutOptionsOrStore(t *testing.T) {
	db, err := pebbleext.Open(t.TempDir(), nil, pebbleext.Options{})
	require.NoError(t, err)
	_, _, err = db.Get([]byte("key"))
	require.Equal(t, pebble.ErrNotFound, err)
	require.NoError(t, db.Close())

	_, err = pebbleext.Open(t.TempDir(), &pebble.Options{ErrorIfNotExists: true}, pebbleext.Options{})
	require.ErrorIs(t, err, pebbleext.ErrNotStore)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	reversed := *pebble.DefaultComparer
	reversed.Name = "reversed"
	open := func(opts *pebble.Options) (*pebbleext.DB, error) {
		opts.Logger = storetest.QuietLogger{}
		return pebbleext.Open(dir, opts, pebbleext.Options{})
	}
	db, err := open(&pebble.Options{})
	require.NoError(t, err)
	_, err = open(&pebble.Options{})
	require.ErrorIs(t, err, pebbleext.ErrLocked)
	require.EqualError(t, err, dir+": the store is open in this or another process; close it there first")
	require.NoError(t, db.Close())

	_, err = open(&pebble.Options{Comparer: &reversed})
	require.ErrorIs(t, err, pebbleext.ErrUnknownComparer)
	require.EqualError(t, err, dir+` was written with the comparer "leveldb.BytewiseComparator"; Options.Comparer is "reversed"`)

	// Errors of other kinds stay Pebble's, those under a lock of the caller's, too.
	lock, err := pebble.LockDirectory(dir, vfs.Default)
	require.NoError(t, err)
	_, err = open(&pebble.Options{Lock: lock, ErrorIfExists: true})
	require.ErrorIs(t, err, pebble.ErrDBAlreadyExists)
	require.NoError(t, lock.Close())
}
