package cometbftdb

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble"
	cometbft "github.com/cometbft/cometbft-db"
	"github.com/stretchr/testify/require"

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

// TestAbsentTransactions counts the reads of lookups of transactions that are
// not in the index, as clients make who wait for theirs.
func TestAbsentTransactions(t *testing.T) {
	dir := t.TempDir()
	program := func(opts *pebble.Options) absent.Store {
		db, err := cometbft.NewPebbleDBWithOpts("bloom", dir, opts)
		require.NoError(t, err)
		return countv1.Store(db.DB(), db.Has, db.Close)
	}
	gravel := func(opts *pebble.Options) absent.Store {
		db, err := Open("gravel", dir, opts)
		require.NoError(t, err)
		return countv1.Store(db.DB(), db.Has, db.Close)
	}
	rng := rand.NewChaCha8([32]byte{})
	write := func(store absent.Store, i int) {
		value := make([]byte, 250)
		_, _ = rng.Read(value)
		require.NoError(t, store.Set(txHash(i), value))
	}
	bloom := countv1.Bloom(t, dir+"/bloom.db")
	countv1.Fill(t, transactions, bloom, write)
	countv1.Fill(t, transactions, gravel, write)
	cost := func(open func(*pebble.Options) absent.Store) absent.Cost {
		return countv1.Measure(t, cacheSize, func(i int) []byte { return txHash(transactions + i) }, open)
	}
	absent.RequireFewer(t, cost(program), cost(bloom), cost(gravel))
}
