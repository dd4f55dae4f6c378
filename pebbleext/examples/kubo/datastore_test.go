package kubo

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	ds "github.com/ipfs/go-datastore"
	dstest "github.com/ipfs/go-datastore/test"
	pebbleds "github.com/ipfs/go-ds-pebble"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
)

func TestDatastore(t *testing.T) {
	store, err := Open(t.TempDir(), &pebble.Options{})
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

// TestAbsentBlocks counts the reads of Has for blocks that a node does not
// have, which its peers ask it for all day.
func TestAbsentBlocks(t *testing.T) {
	dir := t.TempDir()
	store := func(db *pebble.DB, d ds.Datastore) absent.Store {
		has := func(key []byte) (bool, error) { return d.Has(t.Context(), ds.RawKey(string(key))) }
		return countv2.Store(db, has, d.Close)
	}
	program := func(opts *pebble.Options) absent.Store {
		d, err := pebbleds.NewDatastore(dir, pebbleds.WithPebbleOpts(opts))
		require.NoError(t, err)
		return store(d.DB, d)
	}
	gravel := func(opts *pebble.Options) absent.Store {
		d, err := Open(dir, opts)
		require.NoError(t, err)
		return store(d.DB, d)
	}
	rng := rand.NewChaCha8([32]byte{})
	countv2.Fill(t, blocks, program, func(store absent.Store, i int) {
		value := make([]byte, 2048)
		_, _ = rng.Read(value)
		require.NoError(t, store.Set(block(i).Bytes(), value))
	})
	countv2.Compare(t, dir, cacheSize, func(i int) []byte { return block(blocks + i).Bytes() }, program, gravel)
}
