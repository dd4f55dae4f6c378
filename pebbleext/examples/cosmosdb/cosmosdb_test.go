package cosmosdb

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"
	cosmos "github.com/cosmos/cosmos-db"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv1"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
)

const module = "github.com/cosmos/cosmos-db"

// TestUpstream runs cosmos-db's own tests with DB for its Pebble backend, but
// for the one that wants a *PebbleDB.
func TestUpstream(t *testing.T) {
	dir := upstream.Copy(t, module)
	upstream.Add(t, dir, "testdata/upstream")
	upstream.Test(t, module, dir, module, "-skip", "^TestPebbleDBBackend$")
}

// TestPatched runs cosmos-db's own tests with the change of maintainers.diff.
func TestPatched(t *testing.T) {
	dir := upstream.Copy(t, module)
	upstream.Patch(t, dir, "maintainers.diff")
	upstream.Test(t, module, dir, module)
}

const (
	balances  = 300_000
	cacheSize = 8 << 20 // cosmos-db leaves Pebble's default
)

// balance returns the key of an account's balance, as a fast node of the bank's
// tree; from balances on, of an account that does not exist.
func balance(i int) []byte {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return append(append([]byte("s/k:bank/f\x02\x14"), hash[:20]...), "uatom"...)
}

// TestAbsentBalances counts the reads of lookups of accounts that do not exist.
func TestAbsentBalances(t *testing.T) {
	dir, original := t.TempDir(), vfs.Default
	defer func() { vfs.Default = original }()
	program := func(opts *pebble.Options) absent.Store {
		vfs.Default = opts.FS // the only option that reaches it
		db, err := cosmos.NewPebbleDB("bloom", dir, nil)
		require.NoError(t, err)
		return countv1.Store(db.(*cosmos.PebbleDB).DB(), db.Has, db.Close)
	}
	gravel := func(opts *pebble.Options) absent.Store {
		db, err := Open("gravel", dir, opts)
		require.NoError(t, err)
		return countv1.Store(db.DB.DB(), db.Has, db.Close)
	}
	rng := rand.NewChaCha8([32]byte{})
	write := func(store absent.Store, i int) {
		value := make([]byte, 250)
		_, _ = rng.Read(value)
		require.NoError(t, store.Set(balance(i), value))
	}
	bloom := countv1.Bloom(t, dir+"/bloom.db")
	countv1.Fill(t, balances, bloom, write)
	countv1.Fill(t, balances, gravel, write)
	cost := func(open func(*pebble.Options) absent.Store) absent.Cost {
		return countv1.Measure(t, cacheSize, func(i int) []byte { return balance(balances + i) }, open)
	}
	absent.RequireFewer(t, cost(program), cost(bloom), cost(gravel))
}
