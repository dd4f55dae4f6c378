package db_test

import (
	"testing"

	"github.com/cockroachdb/pebble"
	db "github.com/cosmos/cosmos-db"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/cosmosdb"
)

func init() {
	db.SetBackend(db.PebbleDBBackend, func(name, dir string) (db.DB, error) {
		return cosmosdb.Open(name, dir, &pebble.Options{})
	})
}

// TestGravelBackend is TestPebbleDBBackend for Gravel's DB.
func TestGravelBackend(t *testing.T) {
	store, err := db.NewDB("test", db.PebbleDBBackend, t.TempDir())
	require.NoError(t, err)
	require.IsType(t, &cosmosdb.DB{}, store)
	require.NoError(t, store.Close())
}
