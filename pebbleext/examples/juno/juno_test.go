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

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

const module = "github.com/NethermindEth/juno"

// TestStore runs juno's tests of stores.
func TestStore(t *testing.T) {
	db.TestKeyValueStoreSuite(t, func() db.KeyValueStore {
		store, err := Open("", pebbleext.DefaultPlan(), with(func(opts *pebble.Options) { opts.FS = vfs.NewMem() }))
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

// with is an option of pebblev2.New.
func with(change func(*pebble.Options)) pebblev2.Option {
	return func(opts *pebble.Options) error {
		change(opts)
		return nil
	}
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

// fill writes a store by juno's own code, without filters.
func fill(t *testing.T, dir string) {
	t.Helper()
	countv2.Fill(t, records, func(shape func(*pebble.Options), first, last int, done func(*pebble.DB)) {
		store, err := pebblev2.New(dir, with(shape))
		require.NoError(t, err)
		batch := store.NewBatch()
		for i := first; i < last; i++ {
			require.NoError(t, batch.Put(key(i), value(i)))
			if batch.Size() > 1<<16 || i == last-1 {
				require.NoError(t, batch.Write())
				batch = store.NewBatch()
			}
		}
		done(store.Impl().(*pebble.DB))
		require.NoError(t, store.Close())
	})
}

// TestAbsentKeys counts the reads of Has for transactions and storage that do
// not exist, and refilters the store in between.
func TestAbsentKeys(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	program := measure(t, func(option pebblev2.Option) (db.KeyValueStore, error) { return pebblev2.New(dir, option) })

	opts, err := refilter.StoredOptions(dir)
	require.NoError(t, err)
	report, err := refilter.Run(t.Context(), dir, opts, pebbleext.DefaultPlan(), refilter.Settings{})
	require.NoError(t, err)
	require.Equal(t, report.Tables, report.Done)
	t.Logf("refilter: %d tables, %.1f MB in %v, %.0f MB/s", report.Done, float64(report.DoneBytes)/1e6,
		report.Elapsed.Round(1e7), float64(report.DoneBytes)/1e6/report.Elapsed.Seconds())

	gravel := measure(t, func(option pebblev2.Option) (db.KeyValueStore, error) {
		return Open(dir, pebbleext.DefaultPlan(), option)
	})
	absent.RequireFewer(t, program, gravel)
}

func measure(t *testing.T, open func(pebblev2.Option) (db.KeyValueStore, error)) absent.Cost {
	t.Helper()
	fs := &countv2.FS{FS: vfs.Default}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	store, err := open(with(func(opts *pebble.Options) {
		opts.FS, opts.Cache, opts.DisableAutomaticCompactions = fs, cache, true
	}))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	countv2.RequireShape(t, store.Impl().(*pebble.DB), cacheSize)
	for i := 0; i < records; i += records / 1000 {
		require.NoError(t, store.Get(key(i), func(got []byte) error {
			require.Equal(t, value(i), got)
			return nil
		}))
	}
	return absent.Measure(t, &fs.Counter, func(i int) (bool, error) { return store.Has(key(records + i)) })
}
