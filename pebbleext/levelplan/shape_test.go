package levelplan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// fourLevels has the proportions that Pebble's compactions leave, and a second
// sublevel in L0.
var fourLevels = Shape{Levels: []LevelShape{
	{Level: 0, Keys: 1000},
	{Level: 0, Keys: 1000},
	{Level: 4, Keys: 8000},
	{Level: 5, Keys: 30_000},
	{Level: 6, Keys: 160_000},
}}

// scattered returns the key of a number; keys of neighbouring numbers lie far
// apart, so that any thousand span the key space.
func scattered(number uint64) []byte {
	return fmt.Appendf(nil, "%016x", xxh3.Hash(binary.BigEndian.AppendUint64(nil, number)))
}

// buildShape ingests the tables of each level of the shape, from the bottom,
// with the numbers from 0 on as keys. Each level spans the key space, so Pebble
// puts it one level above the one before.
func buildShape(t *testing.T, shape Shape, plan pebbleext.Plan) (*pebble.DB, *pebbleext.Reader) {
	t.Helper()
	opts, setup := storeOptions(plan)
	opts.FS = vfs.NewMem()
	db := ingestShape(t, shape, opts, func(key []byte) []byte { return key })
	reader, err := setup.NewReader(db)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(reader.Close(), db.Close())) })
	return db, reader
}

func storeOptions(plan pebbleext.Plan) (*pebble.Options, *pebbleext.Setup) {
	opts := &pebble.Options{
		Logger: storetest.QuietLogger{}, FormatMajorVersion: pebble.FormatNewest,
		DisableAutomaticCompactions: true,
		LBaseMaxBytes:               200 << 10, // that of L4, for levels that grow tenfold
	}
	return opts, pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
}

func ingestShape(t *testing.T, shape Shape, opts *pebble.Options, value func(key []byte) []byte) *pebble.DB {
	t.Helper()
	opts.EnsureDefaults()
	db := storetest.Open(t, "", opts)
	next := uint64(0)
	for _, level := range slices.Backward(shape.Levels) {
		keys := make([][]byte, level.Keys)
		for i := range keys {
			keys[i] = scattered(next)
			next++
		}
		slices.SortFunc(keys, opts.Comparer.Compare)
		var names []string
		for part := range slices.Chunk(keys, (len(keys)-1)/max(level.Tables, 1)+1) {
			name := fmt.Sprint("table", len(names))
			file, err := opts.FS.Create(name, vfs.WriteCategoryUnspecified)
			require.NoError(t, err)
			w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts.MakeWriterOptions(level.Level, db.TableFormat()))
			for _, key := range part {
				require.NoError(t, w.Set(key, value(key)))
			}
			require.NoError(t, w.Close())
			names = append(names, name)
		}
		require.NoError(t, db.Ingest(t.Context(), names))
	}
	return db
}

func TestReadShape(t *testing.T) {
	db, _ := buildShape(t, fourLevels, pebbleext.Uniform(nil))
	got, err := ReadShape(db, nil)
	require.NoError(t, err)
	require.Len(t, got.Levels, len(fourLevels.Levels))
	for i, want := range fourLevels.Levels {
		require.Equal(t, want.Level, got.Levels[i].Level)
		require.Equal(t, want.Keys, got.Levels[i].Keys)
		require.Equal(t, 1, got.Levels[i].Tables)
		require.InDelta(t, 1, got.Levels[i].Coverage, 0.02)
	}
}

func TestCoverage(t *testing.T) {
	db := storetest.Open(t, "", storetest.Options(vfs.NewMem(), nil))
	defer func() { require.NoError(t, db.Close()) }()
	for i := range 4000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key-%04d", i), make([]byte, 100), pebble.NoSync))
	}
	storetest.CompactAll(t, db, []byte("a"), []byte("z"))
	for i := 1000; i < 2000; i += 99 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key-%04d", i), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	s, err := ReadShape(db, nil)
	require.NoError(t, err)
	require.Equal(t, 6, s.Levels[len(s.Levels)-1].Level)
	require.InDelta(t, 1, s.Levels[len(s.Levels)-1].Coverage, 0.01)
	require.InDelta(t, 0.25, s.Levels[0].Coverage, 0.05)
}

func TestSublevels(t *testing.T) {
	span := func(first, last string) pebble.SSTableInfo {
		var info pebble.SSTableInfo
		info.Smallest.UserKey, info.Largest.UserKey = []byte(first), []byte(last)
		return info
	}
	tables := []pebble.SSTableInfo{ // oldest first
		span("a", "c"), span("d", "f"), span("f", "g"), span("b", "b"), span("x", "z"), span("a", "z"),
	}
	levels := sublevels(tables, pebble.DefaultComparer)
	require.Equal(t, [][]pebble.SSTableInfo{
		{tables[5]}, {tables[2], tables[3]}, {tables[0], tables[1], tables[4]},
	}, levels)
	require.Empty(t, sublevels(nil, pebble.DefaultComparer))
}

// TestTablesWithoutPointKeys: a table with range keys or range deletions alone
// has no filter to plan for, and no lookup reads a data block of it.
func TestTablesWithoutPointKeys(t *testing.T) {
	db := storetest.New(t, func(opts *pebble.Options) { opts.DisableAutomaticCompactions = true })
	storetest.Fill(t, db, 1000, 20)
	before, err := ReadShape(db, pebble.DefaultComparer)
	require.NoError(t, err)
	require.NoError(t, db.RangeKeySet([]byte("a"), []byte("z"), nil, nil, nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.DeleteRange([]byte("a"), []byte("b"), nil))
	require.NoError(t, db.Flush())
	after, err := ReadShape(db, pebble.DefaultComparer)
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, err = after.Plan(Budget{Bytes: 1 << 20})
	require.NoError(t, err)
}
