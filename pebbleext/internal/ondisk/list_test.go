package ondisk_test

import (
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestTablesOfClosedStore lists the tables of stores that close meanwhile.
func TestTablesOfClosedStore(t *testing.T) {
	for range 20 {
		db := storetest.Open(t, "", storetest.Options(vfs.NewMem(), filterpolicy.Bloom(10)))
		storetest.Fill(t, db, 300, 20)
		listed := make(chan struct{}, 1)
		var listing sync.WaitGroup
		listing.Go(func() {
			for {
				levels, err := ondisk.Tables(db)
				if err != nil {
					require.ErrorIs(t, err, pebble.ErrClosed)
					return
				}
				require.Len(t, levels, 7)
				select {
				case listed <- struct{}{}:
				default:
				}
			}
		})
		<-listed
		if err := db.Close(); err != nil {
			require.ErrorContains(t, err, "leaked iterators")
		}
		listing.Wait()
		_, err := ondisk.Tables(db)
		require.ErrorIs(t, err, pebble.ErrClosed)
	}
}
