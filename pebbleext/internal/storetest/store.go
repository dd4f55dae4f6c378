// Package storetest has the stores, keys and random histories that tests of
// several packages share.
package storetest

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// Options makes small stores spread over several levels: with Pebble's
// defaults they compact straight to L6.
func Options(fs vfs.FS, policy pebble.FilterPolicy) *pebble.Options {
	opts := &pebble.Options{
		FS:                    fs,
		FormatMajorVersion:    pebble.FormatNewest,
		L0CompactionThreshold: 2,
		LBaseMaxBytes:         1,
		Logger:                QuietLogger{},
		MemTableSize:          16 << 10,
	}
	opts.Levels[0].BlockSize = 512
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 4 << 10
	}
	Apply(opts, pebbleext.Uniform(policy))
	return opts
}

// Apply is pebbleext.Apply with a plan. The zero Plan has no filters.
func Apply(opts *pebble.Options, plan pebbleext.Plan) *pebbleext.Setup {
	if plan.Levels == (pebbleext.Plan{}).Levels {
		plan.Levels = pebbleext.Uniform(pebble.NoFilterPolicy).Levels
	}
	return pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
}

// QuietLogger drops what Pebble logs.
type QuietLogger struct{}

func (QuietLogger) Infof(string, ...any)              {}
func (QuietLogger) Errorf(string, ...any)             {}
func (QuietLogger) Fatalf(format string, args ...any) { panic(format) }

// Open opens a store.
func Open(t testing.TB, dir string, opts *pebble.Options) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	return db
}

// New opens a store in memory that is closed with the test.
func New(t testing.TB, edit func(*pebble.Options)) *pebble.DB {
	t.Helper()
	opts := Options(vfs.NewMem(), filterpolicy.Bloom(10))
	if edit != nil {
		edit(opts)
	}
	db := Open(t, "", opts)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// Fill writes n keys with values of the given size and moves them to L6.
func Fill(t testing.TB, db *pebble.DB, n, valueSize int) [][]byte {
	t.Helper()
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key%05d", i)
		require.NoError(t, db.Set(keys[i], make([]byte, valueSize), nil))
	}
	CompactAll(t, db, []byte("a"), []byte("z"))
	return keys
}

// CompactAll moves everything to L6; start and end bound the store's keys. Pebble
// leaves what compactions of its own move on meanwhile.
func CompactAll(t testing.TB, db *pebble.DB, start, end []byte) {
	t.Helper()
	require.NoError(t, db.Flush())
	for range 100 {
		require.NoError(t, db.Compact(context.Background(), start, end, false))
		m := db.Metrics()
		if total := m.Total(); m.Levels[6].TablesCount == total.TablesCount {
			require.Positive(t, total.TablesCount)
			return
		}
	}
	t.Fatal("some tables are not in L6")
}

// Queries counts how often the filters of a store are asked during do.
func Queries(db *pebble.DB, do func()) int64 {
	before := db.Metrics().Filter
	do()
	after := db.Metrics().Filter
	return after.Hits + after.Misses - before.Hits - before.Misses
}

// Getter is what stores and Readers have in common.
type Getter interface {
	Get(key []byte) ([]byte, io.Closer, error)
}

// Get returns a copy of a value, empty rather than nil if it has no bytes.
func Get(t testing.TB, r Getter, key []byte) ([]byte, error) {
	value, closer, err := r.Get(key)
	if err != nil {
		require.Nil(t, closer)
		return nil, err
	}
	value = append([]byte{}, value...)
	require.NoError(t, closer.Close())
	return value, nil
}

// Closed closes the value of a Get, and returns what went wrong.
func Closed(_ []byte, closer io.Closer, err error) error {
	if err != nil {
		return err
	}
	return closer.Close()
}

// RequireGoroutines waits for goroutines to end until no more are left.
func RequireGoroutines(t *testing.T, most int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > most; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines instead of %d:\n%s", runtime.NumGoroutine(), most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
