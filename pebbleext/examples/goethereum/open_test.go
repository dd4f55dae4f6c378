package goethereum

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
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

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/absent/countv2"
	"github.com/gravelkv/gravel/pebbleext/examples/internal/upstream"
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
	hooks := &pebblev2.ParseHooks{NewFilterPolicy: func(name string) (pebblev2.FilterPolicy, error) {
		require.Equal(t, bloomv2.FilterPolicy(10).Name(), name)
		return bloomv2.FilterPolicy(10), nil
	}}
	require.NoError(t, opts.Parse(string(text), hooks))
	return opts
}

// TestAbsentStates counts the reads of lookups of absent keys in a store of
// four levels: by go-ethereum's Get, whose filters L6 has by mistake; without
// these; by iterators and by a Reader that ask go-ethereum's filters; and with
// Gravel's default.
func TestAbsentStates(t *testing.T) {
	const states, cacheSize = 500_000, 2 << 20
	dir := gethStore(t, openGeth(t), 0)
	levels := gethOptions(t, dir).Levels
	require.Equal(t, "rocksdb.BuiltinBloomFilter", levels[6].FilterPolicy.Name(), "L6 inherits it")
	var size int64
	store := func(db *pebblev2.DB, get func([]byte) ([]byte, io.Closer, error), closer io.Closer) absent.Store {
		size = db.Metrics().Total().TablesSize
		has := func(key []byte) (bool, error) {
			_, closer, err := get(key)
			if errors.Is(err, pebblev2.ErrNotFound) {
				return false, nil
			}
			return true, errors.Join(err, closer.Close())
		}
		return countv2.Store(db, has, closer.Close)
	}
	program := func(opts *pebblev2.Options) absent.Store {
		opts.Levels = levels
		db, err := pebblev2.Open(dir, opts)
		require.NoError(t, err)
		return store(db, db.Get, db)
	}
	gravel := func(plan pebbleext.Plan) func(opts *pebblev2.Options) absent.Store {
		return func(opts *pebblev2.Options) absent.Store {
			db, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})
			require.NoError(t, err)
			return store(db.DB, db.Get, db)
		}
	}
	countv2.Fill(t, states, program, func(store absent.Store, i int) {
		require.NoError(t, store.Set(key(i), value(i)))
	})
	cost := func(open func(*pebblev2.Options) absent.Store) absent.Cost {
		return countv2.Measure(t, cacheSize, func(i int) []byte { return key(states + i) }, open)
	}
	before, l6 := cost(program), cost(countv2.Bloom(t, dir))
	t.Log("go-ethereum's filters, asked by a Reader:")
	absent.RequireFewer(t, before, l6, cost(gravel(pebbleext.Uniform(bloomv2.FilterPolicy(10)))))

	whole := size
	countv2.Refilter(t, dir, "L0-L5=pebble-bloom:10;L6=none")
	levels[6].FilterPolicy = pebblev2.NoFilterPolicy
	mended := cost(program)
	t.Logf("no filters in L6: %.3f reads, %d bytes less of %d", mended.Reads, whole-size, whole)
	require.InDelta(t, before.Reads, mended.Reads, 0.1)
	require.Less(t, size, whole)

	countv2.Refilter(t, dir, "default")
	absent.RequireFewer(t, before, l6, cost(gravel(pebbleext.Plan{})))

	back := openGeth(t)(dir) // without Gravel's policy
	requireRecords(t, back.Get)
	closeStore(t, back)
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
	db, err := Open(dir)
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
