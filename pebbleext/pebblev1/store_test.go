package pebblev1_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// policies has one of every family.
var policies = []string{"bloom:10", "twochoice:10", "dense:10", "ribbon:7", "compressed:8"}

func parse(t testing.TB, text string) pebble.FilterPolicy {
	t.Helper()
	policy, err := filters.Parse(text)
	require.NoError(t, err)
	return policy
}

// storeOptions makes small stores spread over several levels: with Pebble's
// defaults they compact straight to L6.
func storeOptions(fs vfs.FS, policy pebble.FilterPolicy) *pebble.Options {
	opts := &pebble.Options{
		FS:                    fs,
		L0CompactionThreshold: 2,
		LBaseMaxBytes:         1,
		Levels:                []pebble.LevelOptions{{BlockSize: 512, TargetFileSize: 4 << 10}},
		Logger:                quiet{},
		MemTableSize:          16 << 10,
	}
	pebblev1.Apply(opts, pebblev1.Uniform(policy))
	return opts
}

// quiet drops what Pebble logs about tables and compactions.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// open opens a store and a reader of it, which are closed with the test.
func open(t testing.TB, dir string, opts *pebble.Options) (*pebble.DB, *pebblev1.Reader) {
	t.Helper()
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	reader := pebblev1.ReaderOf(db, opts)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, reader
}

// key returns a key of a store for even i, and one between its keys for odd i.
func key(i int) []byte { return fmt.Appendf(nil, "key%06d", i) }

// fill writes keys 0, 2, 4 … and moves them to L6.
func fill(t testing.TB, db *pebble.DB, keys int) {
	t.Helper()
	for i := range keys {
		require.NoError(t, db.Set(key(2*i), key(i), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact([]byte("a"), []byte("z"), false))
	m := db.Metrics()
	total := m.Total()
	require.Positive(t, m.Levels[6].NumFiles)
	require.Equal(t, total.NumFiles, m.Levels[6].NumFiles, "all tables are in L6")
}

// asked returns how often filters said no, and maybe, during do.
func asked(db *pebble.DB, do func()) (no, maybe int64) {
	before := db.Metrics().Filter
	do()
	after := db.Metrics().Filter
	return after.Hits - before.Hits, after.Misses - before.Misses
}
