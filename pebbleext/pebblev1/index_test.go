package pebblev1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// indexed makes a store have index filters.
func indexed(opts *pebble.Options) *pebble.Options {
	opts.FormatMajorVersion = pebble.FormatNewest
	pebblev1.ApplyIndex(opts, 8)
	return opts
}

// TestIndexFilters: lookups of absent keys leave the data blocks alone, those of
// present ones find their keys, in any order of lookups.
func TestIndexFilters(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Index))
	const keys = 2_000
	db, reader := open(t, "", indexed(storeOptions(vfs.NewMem(), nil)))
	fill(t, db, keys)
	lookUp := func(first int) (blocks int64) {
		before := db.Metrics().BlockCache
		for i := range keys - 1 {
			has, err := reader.Has(key(2*i + first))
			require.NoError(t, err)
			require.Equal(t, first == 0, has)
		}
		after := db.Metrics().BlockCache
		return after.Hits + after.Misses - before.Hits - before.Misses
	}
	absent, present := lookUp(1), lookUp(0)
	require.InDelta(t, keys, present-absent, keys/20, "data blocks")

	many := make([][]byte, 2*keys)
	for i := range many {
		many[i] = key(i)
	}
	rand.Shuffle(len(many), func(i, j int) { many[i], many[j] = many[j], many[i] })
	compareLookups(t, db, reader, many)
}

// TestFalseNegativesAreNoticed: index filters that lack one key in a thousand
// hide keys.
func TestFalseNegativesAreNoticed(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Index))
	opts := indexed(storeOptions(vfs.NewMem(), nil))
	collector, written := opts.BlockPropertyCollectors[0], 0
	opts.BlockPropertyCollectors[0] = func() pebble.BlockPropertyCollector {
		return &forgetfulCollector{collector(), &written}
	}
	db, reader := open(t, "", opts)
	const keys = 5_000
	fill(t, db, keys)
	found := 0
	for i := range keys {
		has, err := reader.Has(key(2 * i))
		require.NoError(t, err)
		if has {
			found++
		}
	}
	require.Less(t, found, keys)
	require.Greater(t, found, keys*9/10)
}

type forgetfulCollector struct {
	pebble.BlockPropertyCollector
	written *int
}

func (c *forgetfulCollector) Add(key pebble.InternalKey, value []byte) error {
	if *c.written++; *c.written%1000 == 0 {
		return nil
	}
	return c.BlockPropertyCollector.Add(key, value)
}

// TestIndexFiltersInV2: version 2 knows those that version 1 wrote.
func TestIndexFiltersInV2(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Index))
	const keys = 5_000
	dir := t.TempDir()
	v1, err := pebble.Open(dir, indexed(storeOptions(vfs.Default, nil)))
	require.NoError(t, err)
	fill(t, v1, keys)
	require.NoError(t, v1.Close())

	db, err := pebbleext.Open(dir, &pebblev2.Options{FormatMajorVersion: pebblev2.FormatNewest, Logger: quietV2{}}, pebbleext.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	levels, err := db.SSTables(pebblev2.WithProperties())
	require.NoError(t, err)
	require.NotEmpty(t, levels[6])
	for _, table := range levels[6] {
		require.Equal(t, 8, indexfilter.TableBits(table.Properties.UserProperties, nil))
	}
	for i := range 2*keys - 1 {
		has, err := db.Has(key(i))
		require.NoError(t, err)
		require.Equal(t, i%2 == 0, has)
	}
}

func TestApplyIndexPanics(t *testing.T) {
	for _, bits := range []int{-1, 0, 3, 17} {
		require.Panics(t, func() { pebblev1.ApplyIndex(&pebble.Options{}, bits) }, bits)
	}
}
