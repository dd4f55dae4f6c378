package cometbftdb

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"
	cometbft "github.com/cometbft/cometbft-db"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv1"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
)

// TestUpstream runs cometbft-db's own tests with DB for its Pebble backend, but
// for the one that wants a *PebbleDB.
func TestUpstream(t *testing.T) {
	const module = "github.com/cometbft/cometbft-db"
	dir := upstream.Copy(t, module)
	upstream.Add(t, dir, "testdata/upstream")
	upstream.Test(t, module, dir, module, "-skip", "^TestPebbleDBBackend$")
}

const (
	transactions = 300_000
	cacheSize    = 2 << 20 // Pebble has 8 MiB, for much larger stores
)

// txHash returns the key of a transaction in the index of transactions; from
// transactions on, of one that was not included.
func txHash(i int) []byte {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return hash[:]
}

func fill(t *testing.T, dir string) {
	t.Helper()
	rng := rand.NewChaCha8([32]byte{})
	countv1.Fill(t, transactions, func(shape func(*pebble.Options), first, last int, done func(*pebble.DB)) {
		opts := &pebble.Options{}
		shape(opts)
		db, err := Open("tx_index", dir, opts, pebblev1.Bloom(10))
		require.NoError(t, err)
		for i := first; i < last; i++ {
			value := make([]byte, 250)
			_, _ = rng.Read(value)
			require.NoError(t, db.Set(txHash(i), value))
		}
		done(db.DB())
		require.NoError(t, db.Close())
	})
}

// TestAbsentTransactions counts the reads of lookups of transactions that are
// not in the index, as clients make who wait for theirs.
func TestAbsentTransactions(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	program := measure(t, func(opts *pebble.Options) (cometbft.DB, *pebble.DB) {
		db, err := cometbft.NewPebbleDBWithOpts("tx_index", dir, opts)
		require.NoError(t, err)
		return db, db.DB()
	})
	gravel := measure(t, func(opts *pebble.Options) (cometbft.DB, *pebble.DB) {
		db, err := Open("tx_index", dir, opts, pebblev1.Bloom(10))
		require.NoError(t, err)
		return db, db.DB()
	})
	absent.RequireFewer(t, program, gravel)
}

func measure(t *testing.T, open func(*pebble.Options) (cometbft.DB, *pebble.DB)) absent.Cost {
	t.Helper()
	fs := &countv1.FS{FS: vfs.Default}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	db, store := open(&pebble.Options{FS: fs, Cache: cache, DisableAutomaticCompactions: true})
	defer func() { require.NoError(t, db.Close()) }()
	countv1.RequireShape(t, store, cacheSize)
	for i := range 1000 {
		value, err := db.Get(txHash(i * (transactions / 1000)))
		require.NoError(t, err)
		require.Len(t, value, 250)
	}
	return absent.Measure(t, &fs.Counter, func(i int) (bool, error) { return db.Has(txHash(transactions + i)) })
}
