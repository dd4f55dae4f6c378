package checkpoint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"
)

// TestOpen inspects a store while it is open and after.
func TestOpen(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	dir := filepath.Join(t.TempDir(), "store")
	opts := smallStore()
	opts.DisableAutomaticCompactions = true
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db := open(t, dir, opts)
	for n := range 1000 {
		require.NoError(t, db.Set(number(n), number(n), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	before := files(t, dir)

	live, err := Open(dir)
	require.NoError(t, err)
	require.True(t, live.Live)
	asLive, err := live.Report(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, asLive.Rows)
	require.NoError(t, live.Close())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, before, files(t, dir))
	require.NoError(t, db.Close())

	closed, err := Open(dir)
	require.NoError(t, err)
	require.False(t, closed.Live)
	asClosed, err := closed.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, asClosed, asLive)
	require.NoError(t, closed.Close())
}
