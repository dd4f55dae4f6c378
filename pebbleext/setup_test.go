package pebbleext_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// TestNewReaderRefuses what Apply has not prepared.
func TestNewReaderRefuses(t *testing.T) {
	other := *pebble.DefaultComparer
	other.Name = "other"
	for name, c := range map[string]struct {
		change func(*pebble.Options)
		says   string
	}{
		"nothing":    {func(*pebble.Options) {}, ""},
		"defaults":   {func(opts *pebble.Options) { opts.EnsureDefaults() }, ""},
		"own things": {func(opts *pebble.Options) { opts.Filters["own"] = filterpolicy.Bloom(3) }, ""},
		"comparer":   {func(opts *pebble.Options) { opts.Comparer = &other }, "Options.Comparer was changed"},
		"policy":     {func(opts *pebble.Options) { opts.Levels[6].FilterPolicy = filterpolicy.Bloom(3) }, "FilterPolicy was changed"},
		"filters":    {func(opts *pebble.Options) { opts.Filters = nil }, "Options.Filters was changed"},
		"collectors": {func(opts *pebble.Options) { opts.BlockPropertyCollectors = nil }, "Options.BlockPropertyCollectors was changed"},
		"remote": {func(opts *pebble.Options) {
			opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(nil)
		}, "Options.Experimental.RemoteStorage was changed"},
		"listener": {func(opts *pebble.Options) { opts.EventListener = nil }, "EventListener was changed"},
	} {
		opts := &pebble.Options{FS: vfs.NewMem(), Logger: storetest.QuietLogger{}}
		setup := pebbleext.Apply(opts, pebbleext.Options{FilterMemory: 1 << 20})
		c.change(opts)
		db := storetest.Open(t, "", opts)
		reader, err := setup.NewReader(db)
		if c.says != "" {
			require.ErrorIs(t, err, pebbleext.ErrRefused, name)
			require.ErrorContains(t, err, c.says, name)
			require.NotContains(t, err.Error(), "\n")
			require.NoError(t, db.Close())
			continue
		}
		require.NoError(t, err, name)
		_, err = setup.NewReader(db)
		require.ErrorIs(t, err, pebbleext.ErrRefused, name)
		require.ErrorContains(t, err, "one Reader", name)
		require.NoError(t, errors.Join(reader.Close(), reader.Close(), db.Close()), name)
	}

	// Apply that comes too late.
	opts := &pebble.Options{FS: vfs.NewMem(), Logger: storetest.QuietLogger{}}
	db := storetest.Open(t, "", opts)
	_, err := pebbleext.Apply(opts, pebbleext.Options{}).NewReader(db)
	require.ErrorIs(t, err, pebbleext.ErrRefused)
	require.ErrorContains(t, err, "not opened with these options")
	require.NoError(t, db.Close())
}

// TestNoCache: filters take no memory off a cache that only its size names, and
// the Reader says so.
func TestNoCache(t *testing.T) {
	cache := pebble.NewCache(1 << 20)
	defer cache.Unref()
	for _, c := range []struct {
		cache  *pebble.Cache
		memory int64
		says   bool
	}{{nil, 0, true}, {cache, 0, false}, {nil, 1 << 20, false}, {nil, -1, false}} {
		opts := storetest.Options(vfs.NewMem(), nil)
		opts.Cache, opts.CacheSize = c.cache, 1<<20
		setup := pebbleext.Apply(opts, pebbleext.Options{FilterMemory: c.memory})
		db := storetest.Open(t, "", opts)
		reader, err := setup.NewReader(db)
		require.NoError(t, err)
		require.Equal(t, c.says, strings.HasSuffix(reader.Way(), "; no filters in memory: Options.Cache is not set"), reader.Way())
		require.Equal(t, reader.Way(), reader.Over(db).Way())
		require.NoError(t, errors.Join(reader.Close(), db.Close()))
	}
}

// TestApplyTwice: options serve one store after another.
func TestApplyTwice(t *testing.T) {
	opts := &pebble.Options{FS: vfs.NewMem(), Logger: storetest.QuietLogger{}}
	for range 3 {
		db, err := pebbleext.Open("", opts, pebbleext.Options{})
		require.NoError(t, err)
		require.NoError(t, db.Set([]byte("key"), nil, nil))
		require.NoError(t, db.Flush())
		require.NoError(t, db.Close())
	}
	require.Len(t, opts.BlockPropertyCollectors, 1)
}

// TestClosedInAnyOrder: a Reader that is closed after its store, or never, does no
// harm, whatever happens in the background.
func TestClosedInAnyOrder(t *testing.T) {
	for _, close := range []bool{true, false} {
		opts := storetest.Options(vfs.NewMem(), nil)
		setup := pebbleext.Apply(opts, pebbleext.Options{FilterMemory: 1 << 20})
		db := storetest.Open(t, "", opts)
		reader, err := setup.NewReader(db)
		require.NoError(t, err)
		for i := range 2000 {
			require.NoError(t, db.Set(fmt.Append(nil, i), make([]byte, 100), pebble.NoSync))
		}
		require.NoError(t, db.Flush()) // the background is asked to look at tables
		require.NoError(t, db.Close())
		if close {
			require.NoError(t, reader.Close())
		}
		time.Sleep(150 * time.Millisecond) // it has looked
	}
}

// TestRuleFollowsTables: the filters of a store that grows fit in its block cache,
// and then no longer. All tables name their filters.
func TestRuleFollowsTables(t *testing.T) {
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.CacheSize = 32 << 10
	db, err := pebbleext.Open("", opts, pebbleext.Options{FilterMemory: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	lookUp := func() {
		for i := range 500 {
			_, err := db.Has(fmt.Appendf(nil, "absent %d", i))
			require.NoError(t, err)
		}
	}
	lookUp()
	require.Contains(t, db.Way(), "tables: ")
	require.Contains(t, db.Way(), "all table filters (0.0 MiB) fit in two thirds of the block cache")
	for i := range 20_000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%06d", i), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.Eventually(t, func() bool {
		lookUp()
		return db.Way()[:5] == "get: "
	}, time.Minute, 10*time.Millisecond)
	require.Contains(t, db.Way(), "do not fit")

	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	for _, tables := range levels {
		for _, table := range tables {
			require.Len(t, table.Properties.UserProperties[resident.PropertyName], 17)
		}
	}
}

// TestFiltersInMemoryTakeOver: table filters that fit answer in a store that was
// just opened, until those in memory do.
func TestFiltersInMemoryTakeOver(t *testing.T) {
	fs := vfs.NewMem()
	open := func() *pebbleext.DB {
		opts := storetest.Options(fs, nil)
		opts.CacheSize = 8 << 20
		db, err := pebbleext.Open("", opts, pebbleext.Options{})
		require.NoError(t, err)
		return db
	}
	db := open()
	for i := range 20_000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%06d", i), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	db = open()
	defer func() { require.NoError(t, db.Close()) }()
	require.Zero(t, db.Filters().Stats().Filters)
	lookUp := func() (way string) {
		for i := range 500 {
			found, err := db.Has(fmt.Appendf(nil, "key%06dx", i))
			require.NoError(t, err)
			require.False(t, found)
		}
		return db.Way()
	}
	begun := time.Now()
	for way := lookUp(); !strings.Contains(way, "filters are in memory"); way = lookUp() {
		require.Contains(t, way, "do not answer yet")
		require.Less(t, time.Since(begun), time.Minute)
	}
	s := db.Filters().Stats()
	require.Positive(t, s.Filters)
	require.Zero(t, s.Evicted, "there is room for all")
}
