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

// cost is what a lookup takes on average.
type cost struct {
	queries float64 // of filters
	skipped float64 // answers of filters that skip a data block
	blocks  float64 // taken from cache or disk
}

func measure(t *testing.T, db *pebblev2.DB, lookUp func(i int)) cost {
	t.Helper()
	const lookups = 20_000
	for i := range lookups / 10 {
		lookUp(2*records + i) // fills caches
	}
	before := db.Metrics()
	for i := range lookups {
		lookUp(records + i)
	}
	after := db.Metrics()
	skipped := after.Filter.Hits - before.Filter.Hits
	return cost{
		queries: float64(skipped+after.Filter.Misses-before.Filter.Misses) / lookups,
		skipped: float64(skipped) / lookups,
		blocks:  float64(after.BlockCache.Hits+after.BlockCache.Misses-before.BlockCache.Hits-before.BlockCache.Misses) / lookups,
	}
}

func notFound(t *testing.T, get func([]byte) ([]byte, io.Closer, error)) func(int) {
	return func(i int) {
		_, _, err := get(key(i))
		require.Equal(t, pebblev2.ErrNotFound, err)
	}
}

// TestAbsentLookups compares lookups of absent keys as go-ethereum makes them
// with those by Gravel's reader, on the same records.
func TestAbsentLookups(t *testing.T) {
	own := gethCost(t)
	t.Logf("%-36s %7s %7s %6s", "per absent lookup", "queries", "skipped", "blocks")
	own.log(t, "go-ethereum's filters, DB.Get")
	for _, text := range []string{"L0-L5=bloom:10;L6=bloom:8", "L0-L5=twochoice:10;L6=ribbon:7"} {
		c := gravelCost(t, text)
		c.log(t, text)
		require.Greater(t, c.queries, 0.99, "filters of L6 are asked")
		require.Greater(t, c.skipped, 0.95, "and say no") // 25 standard deviations below bloom:8's 0.977
		require.Less(t, c.blocks, own.blocks-0.9, "which skips a data block")
	}
}

func (c cost) log(t *testing.T, name string) {
	t.Logf("%-36s %7.2f %7.3f %6.2f", name, c.queries, c.skipped, c.blocks)
}

// gethCost is that of the options and filters of go-ethereum, and of pebble.DB.Get.
func gethCost(t *testing.T) cost {
	dir := gethStore(t, openGeth(t), records)
	opts := gethOptions(t, dir)
	require.EqualValues(t, 16<<20, opts.TargetFileSizes[0], "as ethdb/pebble.New has it")
	require.Equal(t, 2, opts.L0CompactionThreshold)
	require.EqualValues(t, 16<<20, opts.CacheSize)
	db, err := pebblev2.Open(dir, opts)
	require.NoError(t, err)
	defer closeStore(t, db)
	return measure(t, db, notFound(t, db.Get))
}

// gravelCost is that of the same store once its tables have the filters of a
// level plan, and of pebbleext.Reader.
func gravelCost(t *testing.T, text string) cost {
	dir := gethStore(t, openGeth(t), records)
	plan, err := pebbleext.ParsePlan(text)
	require.NoError(t, err)
	_, err = refilter.Run(t.Context(), dir, gethOptions(t, dir), plan, refilter.Settings{})
	require.NoError(t, err)
	db, err := Open(dir, plan)
	require.NoError(t, err)
	requireRecords(t, copied(db.Get))
	c := measure(t, db.DB, notFound(t, db.Get))
	closeStore(t, db)

	store := openGeth(t)(dir) // without Gravel's policy
	requireRecords(t, store.Get)
	closeStore(t, store)
	return c
}

// TestAbsentStates counts the reads of lookups of absent keys in a store of four
// levels: as go-ethereum makes them, with a Reader on the same tables and their
// filters, and with Gravel's filters.
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
	require.Equal(t, "rocksdb.BuiltinBloomFilter", opts.Levels[6].FilterPolicy.Name(), "L6 inherits it")
	db, err := pebblev2.Open(dir, opts)
	require.NoError(t, err)
	program := cost(db, fs, db.Get)

	opts, fs = open()
	db, err = pebblev2.Open(dir, opts)
	require.NoError(t, err)
	t.Log("a Reader, go-ethereum's filters:")
	absent.RequireFewer(t, program, cost(db, fs, pebbleext.NewReader(db, nil).Get))

	plan, err := pebbleext.ParsePlan("L0-L5=twochoice:10;L6=ribbon:7")
	require.NoError(t, err)
	opts, fs = open()
	_, err = refilter.Run(t.Context(), dir, opts, plan, refilter.Settings{})
	require.NoError(t, err)
	gravel, err := pebbleext.Open(dir, opts, plan)
	require.NoError(t, err)
	t.Log("a Reader, Gravel's filters:")
	absent.RequireFewer(t, program, cost(gravel.DB, fs, gravel.Get))
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
	requireRecords(t, copied(old.Get))
	for i := range records / 10 {
		has, err := old.Has(key(records + i))
		require.NoError(t, err)
		require.False(t, has)
	}
	require.Greater(t, old.Metrics().Filter.Hits, int64(records/10*95/100))
	require.True(t, gethpebble.NeedsV1(dir))
	require.NoError(t, old.RatchetFormatMajorVersion(pebble.FormatFlushableIngest))
	closeStore(t, old)
	require.False(t, gethpebble.NeedsV1(dir))

	closeStore(t, openGeth(t)(dir))
	db, err := Open(dir, pebbleext.Uniform(filterpolicy.TwoChoice(10)))
	require.NoError(t, err)
	defer closeStore(t, db)
	requireRecords(t, copied(db.Get))
	c := measure(t, db.DB, notFound(t, db.Get))
	require.Greater(t, c.skipped, 0.95, "filters that v1 wrote say no")
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
