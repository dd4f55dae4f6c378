package pebbleext

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// TestIteratorErrors: an iterator that could not be made anew fails, and what it
// leaves for reuse does not.
func TestIteratorErrors(t *testing.T) {
	db, err := Open("", &pebble.Options{FS: vfs.NewMem()}, Options{})
	require.NoError(t, err)
	found, err := db.store.NewIter(pointread.Tables, []byte("key"))
	require.NoError(t, err)
	i := found.(*iterator)
	require.NoError(t, i.Error())
	i.err = errors.New("no clone")
	require.Equal(t, i.err, found.Error())
	require.NoError(t, found.Close())
	require.NoError(t, i.err)
	require.NoError(t, db.Close())
}
