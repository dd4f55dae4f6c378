package resident_test

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestStoreClosesFirst closes a store at any moment of the work in the
// background of its filters, and the filters some time later or never.
func TestStoreClosesFirst(t *testing.T) {
	for turn := range 30 {
		f := newFilters(t, 1<<20)
		f.SetTurnTime(time.Millisecond / 10)
		db := openFilters(t, vfs.NewMem(), f, nil)
		storetest.Fill(t, db, 300, 20)
		require.NoError(t, f.SetBudget(0))
		require.NoError(t, f.SetBudget(1<<20))
		time.Sleep(time.Duration(turn) * time.Millisecond / 10)
		if err := db.Close(); err != nil {
			require.ErrorContains(t, err, "leaked ") // iterators, or the memtable that one pins
		}
		f.Survey()
		time.Sleep(time.Millisecond)
		if turn%2 == 0 {
			require.NoError(t, f.Close())
		}
		opts := storetest.Options(vfs.NewMem(), filterpolicy.Bloom(10))
		require.ErrorIs(t, newFilters(t, -1).Start(db, opts), pebble.ErrClosed)
	}
}

// TestWrongBlockIsRejected damages a filter in its file, so that it denies all
// keys: no key is hidden, and the store's owner is told.
func TestWrongBlockIsRejected(t *testing.T) {
	fs, f := vfs.NewMem(), newFilters(t, -1)
	var reported atomic.Int64
	var opts *pebble.Options
	db := openFilters(t, fs, f, func(o *pebble.Options) {
		o.DisableAutomaticCompactions = true
		o.AddEventListener(pebble.EventListener{BackgroundError: func(error) { reported.Add(1) }})
		opts = o
	})
	t.Cleanup(func() { require.NoError(t, errors.Join(f.Close(), db.Close())) })
	keys := storetest.Fill(t, db, 300, 20)
	levels, err := ondisk.Tables(db)
	require.NoError(t, err)
	filters, err := ondisk.ReadFilters(t.Context(), db, opts, uint64(levels[6][0].BackingSSTNum))
	require.NoError(t, err)
	overwrite(t, fs, levels[6][0], filters.Block)
	require.NoError(t, f.SetBudget(1<<20))
	eventually(t, func() bool {
		for _, key := range keys {
			require.True(t, has(t, db, f, key))
		}
		return reported.Load() > 0
	})
	require.Positive(t, f.Stats().Rejected)
}

// overwrite makes a Bloom filter in a table's file one without keys.
func overwrite(t *testing.T, fs vfs.FS, table pebble.SSTableInfo, block []byte) {
	name := table.FileNum.String() + ".sst"
	offset := int64(bytes.Index(readFile(t, fs, name), block))
	require.Positive(t, offset)
	file, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	const trailer = 64 // and more, of a block
	_, err = file.WriteAt(make([]byte, len(block)-trailer), offset)
	require.NoError(t, errors.Join(err, file.Close()))
}

// TestSmallerBudgetAndBack takes all memory away for a moment: all filters come
// back.
func TestSmallerBudgetAndBack(t *testing.T) {
	f := newFilters(t, 1<<20)
	f.SetTurnTime(time.Millisecond)
	db := openFilters(t, vfs.NewMem(), f, func(o *pebble.Options) { o.DisableAutomaticCompactions = true })
	t.Cleanup(func() { require.NoError(t, errors.Join(f.Close(), db.Close())) })
	storetest.Fill(t, db, 3000, 20)
	eventually(t, f.HasAll)
	for range 2 {
		require.NoError(t, f.SetBudget(0))
		require.Zero(t, f.Stats().Known)
		require.NoError(t, f.SetBudget(1<<20))
		eventually(t, func() bool { return f.Stats().Known == tables(t, db) })
	}
}
