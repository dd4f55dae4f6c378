package replay

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// TestSampleWithoutEmptyKeys draws from a store of which one key is empty: no
// byte of it can change, and nobody can look it up by a prefix.
func TestSampleWithoutEmptyKeys(t *testing.T) {
	dir := t.TempDir()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatMinSupported})
	require.NoError(t, err)
	for _, key := range []string{"", "a", "m", "z"} {
		require.NoError(t, db.Set([]byte(key), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	v, err := OpenView(dir, 1<<20)
	require.NoError(t, err)
	defer func() { require.NoError(t, v.Close()) }()
	keys, err := v.Sample(t.Context(), 100, 0.5, 1)
	require.NoError(t, err)
	require.NoError(t, v.CheckKeys(keys))
}
