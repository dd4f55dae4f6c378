package juno

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/NethermindEth/juno/db"
	"github.com/NethermindEth/juno/db/pebblev2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
)

const module = "github.com/NethermindEth/juno"

// TestStore runs juno's tests of stores.
func TestStore(t *testing.T) {
	db.TestKeyValueStoreSuite(t, func() db.KeyValueStore {
		store, err := Open("", with(&pebble.Options{FS: vfs.NewMem()}))
		require.NoError(t, err)
		return store
	})
}

// TestPatched runs the tests of juno's package with the change of
// maintainers.diff, but for those that link juno's parts in Rust.
func TestPatched(t *testing.T) {
	dir := upstream.Copy(t, module)
	require.NoError(t, os.Remove(filepath.Join(dir, "db", "pebblev2", "upgrade_test.go")))
	upstream.Patch(t, dir, "maintainers.diff")
	upstream.Test(t, module, dir, module+"/db/pebblev2")
}

const (
	records   = 600_000
	cacheSize = 2 << 20 // juno has 8 MiB or more, for much larger stores
)

// key returns the key of a record: a transaction's block by its hash, or a node
// in the trie of a contract's storage. From records on, no store has it.
func key(i int) []byte {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	if i%2 == 0 {
		return db.TransactionBlockNumbersAndIndicesByHash.Key(hash[:])
	}
	contract := sha256.Sum256([]byte{byte(hash[31])})
	return db.ContractStorage.Key(contract[:], hash[:16])
}

// value returns a block number and an index, or the hashes of a node, which do
// not compress.
func value(i int) []byte {
	hash := sha256.Sum256(append(key(i), 'v'))
	if i%2 == 0 {
		return hash[:16]
	}
	right := sha256.Sum256(hash[:])
	return append(append(hash[:], right[:]...), hash[:32]...)
}

// TestAbsentKeys counts the reads of Has for transactions and storage that do
// not exist.
func TestAbsentKeys(t *testing.T) {
	dir := t.TempDir()
	store := func(s db.KeyValueStore, err error) absent.Store {
		require.NoError(t, err)
		return countv2.Store(s.Impl().(*pebble.DB), s.Has, s.Close)
	}
	program := func(opts *pebble.Options) absent.Store { return store(pebblev2.New(dir, with(opts))) }
	gravel := func(opts *pebble.Options) absent.Store { return store(Open(dir, with(opts))) }
	countv2.Fill(t, records, program, func(store absent.Store, i int) {
		require.NoError(t, store.Set(key(i), value(i)))
	})
	countv2.Compare(t, dir, cacheSize, func(i int) []byte { return key(records + i) }, program, gravel)
}

// with is an option of pebblev2.New.
func with(opts *pebble.Options) pebblev2.Option {
	return func(o *pebble.Options) error {
		version := o.FormatMajorVersion
		*o = *opts
		o.FormatMajorVersion = version
		return nil
	}
}
