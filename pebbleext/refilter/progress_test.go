package refilter

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestTablesMoveAway rewrites a table which its filter makes too large for its
// level, so that Pebble moves it to one whose tables shall have no filters.
// More bytes are pending than before, and still there is progress.
func TestTablesMoveAway(t *testing.T) {
	source := vfs.NewMem()
	opts := &pebble.Options{FS: source, FormatMajorVersion: pebble.FormatNewest, Logger: storetest.QuietLogger{}}
	opts.LBaseMaxBytes = 100_000
	opts.L0CompactionThreshold = 1
	db := storetest.Open(t, "db", opts)
	random := rand.NewChaCha8([32]byte{})
	value := make([]byte, 4000)
	for i := range 100 {
		_, _ = random.Read(value) // never fails
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%06d", i), value, nil))
	}
	storetest.CompactAll(t, db, []byte("a"), []byte("z"))
	value = value[:20]
	for i := range 3000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "new%06d", i*7919), value, nil))
	}
	require.NoError(t, db.Flush())
	require.Eventually(t, func() bool { return db.Metrics().Levels[5].TablesCount == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, db.Close())
	plan := storetest.ParsePlan(t, "L0-L4=none;L5=bloom:40;L6=none")
	before, err := Run(t.Context(), "db", opts, plan, Settings{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, 1, before.Pending)

	moved := 0
	for percent := int64(101); percent < 112; percent++ { // of the table's size
		fs := vfs.NewMem()
		_, err := vfs.Clone(source, fs, "db", "db")
		require.NoError(t, err)
		opts := opts.Clone()
		opts.FS, opts.LBaseMaxBytes = fs, before.PendingBytes*percent/100
		report, err := Run(t.Context(), "db", opts, plan, Settings{})
		require.NoError(t, err)
		require.Equal(t, report.Pending, report.Done)
		moved += report.Pending - 1
	}
	require.Positive(t, moved)
}

// TestSmallTables refilters a store of many small tables: the size of a ribbon
// depends on its seed, and still no table is ever pending twice.
func TestSmallTables(t *testing.T) {
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.DisableAutomaticCompactions = true
	opts.MemTableSize = 1 << 20
	db := storetest.Open(t, "db", opts)
	value := make([]byte, 40)
	random := rand.NewChaCha8([32]byte{1})
	for i := range 85_000 {
		_, _ = random.Read(value) // never fails
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%06d", i), value, pebble.NoSync))
	}
	storetest.CompactAll(t, db, []byte("a"), []byte("z"))
	require.NoError(t, db.Close())
	for _, text := range []string{"ribbon:8", "compressed:8,max=1KiB", "ribbon:8"} {
		report, err := Run(t.Context(), "db", opts, storetest.ParsePlan(t, text), Settings{})
		require.NoError(t, err)
		require.Equal(t, report.Tables, report.Pending)
		again, err := Run(t.Context(), "db", opts, storetest.ParsePlan(t, text), Settings{})
		require.NoError(t, err)
		require.Zero(t, again.Pending)
		require.Greater(t, again.Tables, 1000)
	}
}
