package pebbleext

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// policies are the two sides of a switch. All tests of reads run with both.
var policies = map[string]pebble.FilterPolicy{
	"gravel": filterpolicy.Bloom(10),
	"pebble": bloom.FilterPolicy(10),
}

// storeOptions makes small stores spread over several levels: with Pebble's
// defaults they compact straight to L6.
func storeOptions(fs vfs.FS, policy pebble.FilterPolicy) *pebble.Options {
	opts := &pebble.Options{
		FS:                    fs,
		FormatMajorVersion:    pebble.FormatNewest,
		L0CompactionThreshold: 2,
		LBaseMaxBytes:         1,
		Logger:                quietLogger{},
		MemTableSize:          16 << 10,
	}
	opts.Levels[0].BlockSize = 512
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 4 << 10
	}
	Apply(opts, Uniform(policy))
	return opts
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)              {}
func (quietLogger) Errorf(string, ...any)             {}
func (quietLogger) Fatalf(format string, args ...any) { panic(format) }

func openStore(t testing.TB, dir string, opts *pebble.Options) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	return db
}

// compactAll moves everything to L6; start and end bound the store's keys.
func compactAll(t testing.TB, db *pebble.DB, start, end []byte) {
	t.Helper()
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact(context.Background(), start, end, false))
	m := db.Metrics()
	total := m.Total()
	require.Positive(t, m.Levels[6].TablesCount)
	require.Equal(t, m.Levels[6].TablesCount, total.TablesCount, "all tables are in L6")
}

// probes counts how often the filters of a store are asked during do.
func probes(db *pebble.DB, do func()) int64 {
	before := db.Metrics().Filter
	do()
	after := db.Metrics().Filter
	return after.Hits + after.Misses - before.Hits - before.Misses
}
