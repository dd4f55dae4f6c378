package checkpoint

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// smallStore returns options of a store with small memtables and tables.
func smallStore() *pebble.Options {
	opts := &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest, Logger: quiet{},
		MemTableSize: 16 << 10, L0CompactionThreshold: 2, LBaseMaxBytes: 1,
	}
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 4 << 10
	}
	return opts
}

type quiet struct{}

func (quiet) Infof(string, ...any)           {}
func (quiet) Errorf(string, ...any)          {}
func (quiet) Fatalf(format string, _ ...any) { panic(format) }

func open(t *testing.T, dir string, opts *pebble.Options) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	return db
}

// storedOptions returns those of a checkpoint.
func storedOptions(t *testing.T, view string) *pebble.Options {
	t.Helper()
	s, err := inspect.Open(view)
	require.NoError(t, err)
	opts := s.Options()
	require.NoError(t, s.Close())
	opts.Logger = quiet{}
	return opts
}

func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// TestBusyStore takes checkpoints of a store while it writes numbers in order,
// over and over, each time with the next round as the value. Flushes are in
// order, so a view of one moment holds numbers up to one of round r and the
// rest of round r-1.
func TestBusyStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	db := open(t, dir, smallStore())
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan error)
	const numbers = 3000
	go func() {
		for round := 1; ; round++ {
			for n := range numbers {
				err := db.Set(number(n), number(round), pebble.NoSync)
				if err != nil || ctx.Err() != nil {
					written <- err
					return
				}
			}
		}
	}()
	again := 0
	for i := range 30 {
		time.Sleep(20 * time.Millisecond)
		view := filepath.Join(t.TempDir(), "view")
		report, err := Take(dir, view)
		require.NoError(t, err, i)
		require.Zero(t, report.Copied)
		again += report.Attempts - 1
		requireOneMoment(t, view, numbers)
		require.NoError(t, os.RemoveAll(view))
	}
	cancel()
	require.NoError(t, <-written)
	require.NoError(t, db.Close())
	t.Logf("%d attempts again", again)
}

func requireOneMoment(t *testing.T, view string, numbers int) {
	t.Helper()
	db := open(t, view, storedOptions(t, view))
	iter, err := db.NewIter(nil)
	require.NoError(t, err)
	var rounds []uint64
	for iter.First(); iter.Valid(); iter.Next() {
		require.Equal(t, number(len(rounds)), iter.Key())
		rounds = append(rounds, binary.BigEndian.Uint64(iter.Value()))
	}
	require.NoError(t, iter.Close())
	require.NoError(t, db.Close())
	if len(rounds) == 0 {
		return // nothing was flushed
	}
	if rounds[0] > 1 {
		require.Len(t, rounds, numbers)
	}
	steps := 0
	for i, round := range rounds[1:] {
		if round != rounds[i] {
			require.Equal(t, rounds[i]-1, round)
			steps++
		}
	}
	require.LessOrEqual(t, steps, 1)
}

// TestOpenStoreStaysAsItIs opens a checkpoint for writing while the store is
// open whose log is in a directory of its own.
func TestOpenStoreStaysAsItIs(t *testing.T) {
	dir, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	opts := smallStore()
	opts.WALDir = log
	opts.Comparer, opts.DisableAutomaticCompactions = &cockroachkvs.Comparer, true
	opts.KeySchema = cockroachkvs.KeySchema.Name
	opts.KeySchemas = map[string]*pebble.KeySchema{cockroachkvs.KeySchema.Name: &cockroachkvs.KeySchema}
	db := open(t, dir, opts)
	key := func(n int) []byte { return cockroachkvs.EncodeMVCCKey(nil, number(n), 1, 0) }
	require.NoError(t, db.Set(key(1), []byte("flushed"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Set(key(2), []byte("in the log"), nil))
	before := [][]string{files(t, dir), files(t, log)}

	view := filepath.Join(t.TempDir(), "view")
	report, err := Take(dir, view)
	require.NoError(t, err)
	require.Equal(t, 1, report.Tables)
	require.Positive(t, report.Bytes)
	copied := open(t, view, storedOptions(t, view))
	value, closer, err := copied.Get(key(1))
	require.NoError(t, err)
	require.Equal(t, "flushed", string(value))
	require.NoError(t, closer.Close())
	_, _, err = copied.Get(key(2))
	require.ErrorIs(t, err, pebble.ErrNotFound)
	require.NoError(t, copied.Set(key(1), []byte("another"), nil))
	require.NoError(t, copied.Flush())
	require.NoError(t, copied.Compact(t.Context(), key(0), key(3), false))
	require.NoError(t, copied.Close())
	require.NoError(t, os.RemoveAll(view))

	require.Equal(t, before, [][]string{files(t, dir), files(t, log)})
	require.NoError(t, db.Close())
}

// files describes the files of a directory.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all = append(all, e.Name()+" "+info.ModTime().String()+string(content))
	}
	return all
}

func TestWithoutLog(t *testing.T) {
	text := "[Version]\n  pebble_version=0.1\n[Options]\n  bytes_per_sync=1\n  wal_dir=/log\n" +
		"[WAL Failover]\n  secondary_dir=/other\n\n[Level \"0\"]\n  block_size=4096\n"
	require.Equal(t, "[Version]\n  pebble_version=0.1\n[Options]\n  bytes_per_sync=1\n[Level \"0\"]\n  block_size=4096\n",
		string(withoutLog([]byte(text))))
}

func TestMissingTable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	db := open(t, dir, smallStore())
	require.NoError(t, db.Set([]byte("k"), nil, nil))
	require.NoError(t, db.Close())
	db = open(t, dir, smallStore()) // flushes the log
	require.NoError(t, db.Close())
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.Len(t, tables, 1)
	require.NoError(t, os.Remove(tables[0]))
	_, err = Take(dir, filepath.Join(t.TempDir(), "view"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotContains(t, err.Error(), "\n")
}

func TestPlace(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	store := t.TempDir()
	require.Equal(t, temporary, Place(store), "no table")
	require.NoError(t, os.WriteFile(filepath.Join(store, "000001.sst"), nil, 0o644))
	require.Equal(t, temporary, Place(store))
	t.Setenv("TMPDIR", filepath.Join(temporary, "none"))
	require.Equal(t, filepath.Dir(store), Place(store+"/"))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(store), "checkpoint-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.True(t, strings.HasPrefix(store, filepath.Dir(store)))
}
