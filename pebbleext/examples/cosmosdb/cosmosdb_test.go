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

	"github.com/gravelkv/gravel/filterpolicy/pebblev1"
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

func fill(t *testing.T, dir string) {
	t.Helper()
	rng := rand.NewChaCha8([32]byte{})
	countv1.Fill(t, balances, func(shape func(*pebble.Options), first, last int, done func(*pebble.DB)) {
		opts := &pebble.Options{}
		shape(opts)
		db, err := Open("application", dir, opts, pebblev1.Bloom(10))
		require.NoError(t, err)
		for i := first; i < last; i++ {
			value := make([]byte, 250)
			_, _ = rng.Read(value)
			require.NoError(t, db.Set(balance(i), value))
		}
		done(db.DB.DB())
		require.NoError(t, db.Close())
	})
}

// TestAbsentBalances counts the reads of lookups of accounts that do not exist.
func TestAbsentBalances(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	fs := &countv1.FS{FS: vfs.Default}
	gravel := func() absent.Cost {
		db, err := Open("application", dir, &pebble.Options{FS: fs, DisableAutomaticCompactions: true}, pebblev1.Bloom(10))
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		return measure(t, fs, db, db.DB.DB())
	}()
	vfs.Default = fs // the only way to count what options do not reach
	defer func() { vfs.Default = fs.FS }()
	db, err := cosmos.NewPebbleDB("application", dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	program := measure(t, fs, db, db.(*cosmos.PebbleDB).DB())
	absent.RequireFewer(t, program, gravel)
}

func measure(t *testing.T, fs *countv1.FS, db cosmos.DB, store *pebble.DB) absent.Cost {
	t.Helper()

	countv1.RequireShape(t, store, cacheSize)
	for i := range 1000 {
		value, err := db.Get(balance(i * (balances / 1000)))
		require.NoError(t, err)
		require.Len(t, value, 250)
	}
	return absent.Measure(t, &fs.Counter, func(i int) (bool, error) { return db.Has(balance(balances + i)) })
}
