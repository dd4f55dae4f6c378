package kubo

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	ds "github.com/ipfs/go-datastore"
	dstest "github.com/ipfs/go-datastore/test"
	pebbleds "github.com/ipfs/go-ds-pebble"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
)

func TestDatastore(t *testing.T) {
	store, err := Open(t.TempDir(), &pebble.Options{}, pebbleext.DefaultPlan())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	dstest.SubtestAll(t, store)
}

// TestPatched runs go-ds-pebble's own tests with the change of
// maintainers.diff.
func TestPatched(t *testing.T) {
	const module = "github.com/ipfs/go-ds-pebble"
	dir := upstream.Copy(t, module)
	upstream.Patch(t, dir, "maintainers.diff")
	upstream.Test(t, module, dir, module)
}

const (
	blocks    = 40_000
	cacheSize = 2 << 20 // Kubo has 8 MiB for much larger stores
)

// block returns the key of a block as Kubo's blockstore has it; from blocks on,
// of one that the store does not have.
func block(i int) ds.Key {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	multihash := append([]byte{0x12, 32}, hash[:]...) // SHA2-256
	return ds.NewKey("/blocks/" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(multihash))
}

func fill(t *testing.T, dir string) {
	t.Helper()
	rng := rand.NewChaCha8([32]byte{})
	countv2.Fill(t, blocks, func(shape func(*pebble.Options), first, last int, done func(*pebble.DB)) {
		opts := &pebble.Options{}
		shape(opts)
		store, err := Open(dir, opts, pebbleext.DefaultPlan())
		require.NoError(t, err)
		for i := first; i < last; i++ {
			value := make([]byte, 2048)
			_, _ = rng.Read(value)
			require.NoError(t, store.Put(t.Context(), block(i), value))
		}
		done(store.DB)
		require.NoError(t, store.Close())
	})
}

// TestAbsentBlocks counts the reads of Has for blocks that a node does not
// have, which its peers ask it for all day.
func TestAbsentBlocks(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	var program, gravel absent.Cost
	measure(t, dir, &program, func(opts *pebble.Options) (ds.Datastore, *pebble.DB) {
		store, err := pebbleds.NewDatastore(dir, pebbleds.WithPebbleOpts(opts), pebbleds.WithCacheSize(cacheSize))
		require.NoError(t, err)
		return store, store.DB
	})
	measure(t, dir, &gravel, func(opts *pebble.Options) (ds.Datastore, *pebble.DB) {
		store, err := Open(dir, opts, pebbleext.DefaultPlan(), pebbleds.WithCacheSize(cacheSize))
		require.NoError(t, err)
		return store, store.DB
	})
	absent.RequireFewer(t, program, gravel)
}

func measure(t *testing.T, dir string, cost *absent.Cost, open func(*pebble.Options) (ds.Datastore, *pebble.DB)) {
	fs := &countv2.FS{FS: vfs.Default}
	store, db := open(&pebble.Options{FS: fs, DisableAutomaticCompactions: true})
	defer func() { require.NoError(t, store.Close()) }()
	countv2.RequireShape(t, db, cacheSize)
	*cost = absent.Measure(t, &fs.Counter, func(i int) (bool, error) { return store.Has(t.Context(), block(blocks+i)) })
	value, err := store.Get(t.Context(), block(7))
	require.NoError(t, err)
	require.Len(t, value, 2048)
}
