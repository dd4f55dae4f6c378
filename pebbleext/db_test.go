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
		pebbleext.Uniform(filterpolicy.Bloom(10)))
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
	db, err := pebbleext.Open(t.TempDir(), nil, pebbleext.Plan{})
	require.NoError(t, err)
	_, _, err = db.Get([]byte("key"))
	require.Equal(t, pebble.ErrNotFound, err)
	require.NoError(t, db.Close())

	_, err = pebbleext.Open(t.TempDir(), &pebble.Options{ErrorIfNotExists: true}, pebbleext.Plan{})
	require.ErrorIs(t, err, pebble.ErrDBDoesNotExist)
}
