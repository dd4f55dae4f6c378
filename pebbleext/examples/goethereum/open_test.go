package goethereum

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
	"testing"

	"github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	bloomv2 "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ethereum/go-ethereum/ethdb"
	gethpebble "github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// prefixes are three of core/rawdb's: snapshot accounts, contract code, and
// transaction lookups. All are followed by a 32-byte hash.
const prefixes = "acl"

const records = 60_000

// key returns the key of a record; from records on, one that no store has,
// which falls between those it has.
func key(i int) []byte {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return append([]byte{prefixes[i%len(prefixes)]}, hash[:]...)
}

// value returns 96 bytes that do not compress, much as accounts.
func value(i int) []byte {
	var v []byte
	for part := range byte(3) {
		sum := sha256.Sum256(append(key(i), part))
		v = append(v, sum[:]...)
	}
	return v
}

// gethStore writes a store by go-ethereum's own code and returns its folder.
func gethStore(t *testing.T, open func(dir string) ethdb.KeyValueStore, records int) string {
	t.Helper()
	dir := t.TempDir()
	store := open(dir)
	batch := store.NewBatch()
	for i := range records {
		require.NoError(t, batch.Put(key(i), value(i)))
		if batch.ValueSize() >= ethdb.IdealBatchSize {
			require.NoError(t, batch.Write())
			batch.Reset()
		}
	}
	require.NoError(t, batch.Write())
	require.NoError(t, store.Compact(nil, nil))
	require.NoError(t, store.Close())
	return dir
}

func openGeth(t *testing.T) func(string) ethdb.KeyValueStore {
	return func(dir string) ethdb.KeyValueStore {
		store, err := gethpebble.New(dir, 16, 1024, "", false)
		require.NoError(t, err)
		return store
	}
}

func openGethV1(t *testing.T) func(string) ethdb.KeyValueStore {
	return func(dir string) ethdb.KeyValueStore {
		store, err := gethpebble.NewV1(dir, 16, 64, "", false)
		require.NoError(t, err)
		return store
	}
}

// gethOptions returns the options that go-ethereum built for a store, its
// filters among them.
func gethOptions(t *testing.T, dir string) *pebblev2.Options {
	t.Helper()
	desc, err := pebblev2.Peek(dir, vfs.Default)
	require.NoError(t, err)
	text, err := os.ReadFile(desc.OptionsFilename)
	require.NoError(t, err)
	opts := &pebblev2.Options{}
	require.NoError(t, opts.Parse(string(text), &pebblev2.ParseHooks{NewFilterPolicy: pebbleext.PolicyNamed}))
	return opts
}

// TestAbsentStates counts the reads of lookups of absent keys in a store of
// four levels: as go-ethereum makes them, with a Reader on the same tables and
// their filters, and with Gravel's filters.
func TestAbsentStates(t *testing.T) {
	dir := gethStore(t, openGeth(t), 0)
	const states = 500_000
	countv2.Fill(t, states, func(shape func(*pebblev2.Options), first, last int, done func(*pebblev2.DB)) {
		opts := gethOptions(t, dir)
		shape(opts)
		db, err := pebblev2.Open(dir, opts)
		require.NoError(t, err)
		for i := first; i < last; i++ {
			require.NoError(t, db.Set(key(i), value(i), pebblev2.NoSync))
		}
		done(db)
		closeStore(t, db)
	})
	open := func() (opts *pebblev2.Options, fs *countv2.FS) {
		opts = gethOptions(t, dir)
		fs = &countv2.FS{FS: vfs.Default}
		opts.FS, opts.CacheSize, opts.DisableAutomaticCompactions = fs, 2<<20, true
		opts.L0CompactionThreshold = 4 // from 2, or a refilter would empty L0
		return opts, fs
	}
	cost := func(db *pebblev2.DB, fs *countv2.FS, get func([]byte) ([]byte, io.Closer, error)) absent.Cost {
		defer closeStore(t, db)
		countv2.RequireShape(t, db, 2<<20)
		return absent.Measure(t, &fs.Counter, func(i int) (bool, error) {
			_, _, err := get(key(states + i))
			if err == pebblev2.ErrNotFound {
				return false, nil
			}
			return true, err
		})
	}

	opts, fs := open()
	require.EqualValues(t, 16<<20, gethOptions(t, dir).CacheSize, "as go-ethereum has it")
	require.Equal(t, "rocksdb.BuiltinBloomFilter", opts.Levels[6].FilterPolicy.Name(), "L6 inherits it")
	db, err := pebblev2.Open(dir, opts)
	require.NoError(t, err)
	program := cost(db, fs, db.Get)

	opts, fs = open()
	own, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: pebbleext.Uniform(bloomv2.FilterPolicy(10))})
	require.NoError(t, err)
	t.Log("a Reader, go-ethereum's filters:")
	absent.RequireFewer(t, program, cost(own.DB, fs, own.Get))

	plan := pebbleext.DefaultPlan()
	opts, fs = open()
	_, err = refilter.Run(t.Context(), dir, opts, plan, refilter.Settings{})
	require.NoError(t, err)
	gravel, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})
	require.NoError(t, err)
	t.Log("a Reader, Gravel's filters:")
	requireRecords(t, copied(gravel.Get))
	absent.RequireFewer(t, program, cost(gravel.DB, fs, gravel.Get))

	store := openGeth(t)(dir) // without Gravel's policy
	requireRecords(t, store.Get)
	closeStore(t, store)
}

// TestPatched runs the tests of go-ethereum's package with the change of
// maintainers.diff.
func TestPatched(t *testing.T) {
	const module = "github.com/ethereum/go-ethereum"
	dir := upstream.Copy(t, module)
	upstream.Patch(t, dir, "maintainers.diff")
	upstream.Test(t, module, dir, module+"/ethdb/pebble")
}

// TestUpgrade writes a store with Pebble v1 and Gravel's filters, raises its
// version as ethdb/pebble.Upgrade does, and asks its filters with v2.
func TestUpgrade(t *testing.T) {
	dir := gethStore(t, openGethV1(t), 0)
	opts, err := OptionsV1(dir)
	require.NoError(t, err)
	require.EqualValues(t, 16<<20, opts.Level(0).TargetFileSize, "as ethdb/pebble.NewV1 has it")
	require.EqualValues(t, 16<<20, opts.Cache.MaxSize())
	opts.Cache.Unref()
	twochoice, err := filters.Parse("twochoice:10")
	require.NoError(t, err)
	old, err := OpenV1(dir, twochoice)
	require.NoError(t, err)
	for i := range records {
		require.NoError(t, old.Set(key(i), value(i), pebble.NoSync))
	}
	require.NoError(t, old.Compact([]byte{0}, ethdb.MaximumKey, true))
	for i := range records / 10 {
		has, err := old.Has(key(records + i))
		require.NoError(t, err)
		require.False(t, has)
	}
	require.Positive(t, old.Metrics().Filter.Hits)
	requireRecords(t, copied(old.Get))
	require.True(t, gethpebble.NeedsV1(dir))
	require.NoError(t, old.RatchetFormatMajorVersion(pebble.FormatFlushableIngest))
	closeStore(t, old)
	require.False(t, gethpebble.NeedsV1(dir))

	closeStore(t, openGeth(t)(dir))
	db, err := Open(dir, pebbleext.Uniform(filterpolicy.TwoChoice(10)))
	require.NoError(t, err)
	defer closeStore(t, db)
	for i := range records / 10 {
		_, _, err := db.Get(key(records + i))
		require.Equal(t, pebblev2.ErrNotFound, err)
	}
	require.Positive(t, db.Metrics().Filter.Hits, "filters that v1 wrote say no")
	requireRecords(t, copied(db.Get))
}

func requireRecords(t *testing.T, get func([]byte) ([]byte, error)) {
	t.Helper()
	for i := 0; i < records; i += 10 {
		got, err := get(key(i))
		require.NoError(t, err)
		require.Equal(t, value(i), got)
	}
}

// copied makes ethdb's Get of Pebble's.
func copied(get func([]byte) ([]byte, io.Closer, error)) func([]byte) ([]byte, error) {
	return func(key []byte) ([]byte, error) {
		value, closer, err := get(key)
		if err != nil {
			return nil, err
		}
		owned := bytes.Clone(value)
		return owned, closer.Close()
	}
}

func closeStore(t *testing.T, store io.Closer) {
	t.Helper()
	require.NoError(t, store.Close())
}
