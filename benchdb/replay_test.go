package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/replay"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/keytrace"
)

// replayStore is a store of a program of its own. Keys come in a random order
// and some are written twice or deleted, so that the levels overlap.
func replayStore(t *testing.T, name string) (dir string, key func(n int) []byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	key = func(n int) []byte {
		return fmt.Appendf(nil, "/blocks/%016x", rand.New(rand.NewPCG(uint64(n), 1)).Uint64())
	}
	if name == cockroachStore {
		plain := key
		key = func(n int) []byte { return cockroachkvs.EncodeMVCCKey(nil, plain(n), uint64(n%3+1), 0) }
	}
	db, err := pebble.Open(dir, storeOptions(dir))
	require.NoError(t, err)
	value := make([]byte, 100)
	random := rand.NewChaCha8([32]byte{})
	for n := range replayKeys {
		_, _ = random.Read(value) // never fails
		require.NoError(t, db.Set(key(n), value, pebble.NoSync))
		if n%10 == 9 {
			require.NoError(t, db.Set(key(n/2), value, pebble.NoSync))
		}
		if n%50 == 49 {
			require.NoError(t, db.Delete(key(n/3), pebble.NoSync))
		}
	}
	require.NoError(t, db.Flush())
	// A compaction that is due would change the copies, and what they read.
	quiet := 0
	require.Eventually(t, func() bool {
		if quiet++; db.Metrics().Compact.NumInProgress > 0 {
			quiet = 0
		}
		return quiet == 20
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, db.Close())
	return dir, key
}

const (
	replayKeys     = 30_000
	cockroachStore = "cockroach"
)

// storeOptions are those of the tests' stores, by the name of the directory.
func storeOptions(dir string) *pebble.Options {
	opts := &pebble.Options{Logger: quiet{}, MemTableSize: 256 << 10, LBaseMaxBytes: 256 << 10, L0CompactionThreshold: 2}
	opts.FormatMajorVersion = pebble.FormatNewest
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 128 << 10
	}
	if filepath.Base(dir) == cockroachStore {
		opts.Comparer = &cockroachkvs.Comparer
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = map[string]*pebble.KeySchema{opts.KeySchema: &cockroachkvs.KeySchema}
		opts.BlockPropertyCollectors = cockroachkvs.BlockPropertyCollectors
	}
	return opts
}

func replayJSON(t *testing.T, args ...string) (outcome, replay.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), append([]string{"replay", "--out", file, "--out", filepath.Join(t.TempDir(), "r.html")}, args...)...)
	require.Equal(t, exitOK, got.status, got.stderr)
	requireColumns(t, got.stdout)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var r replay.Result
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&r))
	return got, r
}

// TestReplay replays a sample against stores of two comparers, one of them open
// elsewhere, and copies with other filters. Forecasts of absent keys agree within
// a quarter, or five reads in a hundred lookups.
func TestReplay(t *testing.T) {
	const dense = "dense:10"
	for name, policies := range map[string]string{"plain": "none " + dense, cockroachStore: dense} {
		t.Run(name, func(t *testing.T) {
			dir, _ := replayStore(t, name)
			if name == "plain" {
				hold(t, dir)
			}
			before := snapshotDir(t, dir)
			got, r := replayJSON(t, dir, "--sample", "2000", "--memory", "1MiB", "--policies", policies, "--rewrite")
			require.Equal(t, before, snapshotDir(t, dir))
			require.Contains(t, got.stdout, "by links, without its log")
			require.InDelta(t, 0.5, r.Settings.Absent, 0.1)
			require.Len(t, r.Workloads, 3)
			for _, w := range r.Workloads {
				for _, row := range w.Rows {
					require.Zero(t, row.Queries.Unknown, "%s %s", row.Policy, row.Lookup)
					if row.Lookup != run.DB || row.Policy != dense { // whose filters come in the background
						require.Zero(t, row.ResidentBytes, "%s %s", row.Policy, row.Lookup)
					}
				}
			}
			require.Len(t, r.Workloads[0].Rows, 3+2+len(strings.Fields(policies))-1)
			require.Len(t, r.Forecasts, 3*(2+len(strings.Fields(policies))-1))
			for _, f := range r.Forecasts {
				if f.Workload == "absent keys" && f.Lookup == run.Get { // filters in memory load while it is busy
					measured := find(t, r, f.Workload, f.Policy, f.Lookup)
					require.InDelta(t, measured.ReadsPerOp(), f.Reads, 0.05+0.25*measured.ReadsPerOp(), "%+v", f)
				}
			}
			filtered := find(t, r, "absent keys", dense, run.DB)
			require.Less(t, *filtered.Queries.FPR, 0.006)
			if strings.HasPrefix(policies, "none") {
				require.Greater(t, find(t, r, "absent keys", "none", "Get").ReadsPerOp(), 2*filtered.ReadsPerOp())
			}
		})
	}
}

func find(t *testing.T, r replay.Result, workload, policy string, lookup run.Lookup) run.Row {
	t.Helper()
	return row(t, run.Result{Measured: r.Measured}, workload, policy, lookup)
}

// TestReplayKeys replays keys from files and the standard input.
func TestReplayKeys(t *testing.T) {
	dir, key := replayStore(t, "plain")
	var raw, hexed, based strings.Builder
	for n := range 500 {
		k := key(n + replayKeys - 400) // the last hundred were never written
		fmt.Fprintf(&raw, "%s\n", k)
		fmt.Fprintf(&hexed, "%s\n\n", hex.EncodeToString(k))
		fmt.Fprintf(&based, "%s\r\n", base64.StdEncoding.EncodeToString(k))
	}
	got := command(t, t.Context(), "replay", dir, "--keys", "replay.go", "--out", "")
	require.Equal(t, exitOK, got.status, got.stderr)
	require.Contains(t, got.stdout, "are these the store's keys")
	for flag, text := range map[string]string{"--hex=false": raw.String(), "--hex": hexed.String(), "--base64": based.String()} {
		file := filepath.Join(t.TempDir(), "keys")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		got, r := replayJSON(t, dir, "--keys", file, flag, "--policies", "bloom:10 L0-L5=none;L6=ribbon:8")
		require.InDelta(t, 0.2, r.Settings.Absent, 0.01, flag)
		require.Equal(t, 500, r.Settings.Keys)
		require.Len(t, r.Workloads[0].Rows, 3, "nothing is rewritten")
		require.Contains(t, got.stdout, "forecast")
	}
	got, r := replayJSON(t, dir, "--sample", "500", "--memory", "1MiB")
	require.Equal(t, []string{"default"}, r.Settings.Policies)
	now, then := find(t, r, "all keys", "as it is", run.Get), r.Forecasts[1]
	require.Equal(t, run.DB, then.Lookup)
	require.Truef(t, strings.HasPrefix(got.stdout, fmt.Sprintf("With Gravel's default, a lookup would read %s blocks instead of %s.\n",
		report.Figure(then.Reads), report.Figure(now.ReadsPerOp()))), got.stdout)
}

// TestReplayTrace replays what a Reader was asked for, also from a trace that
// ends within a chunk, as a killed program may leave it.
func TestReplayTrace(t *testing.T) {
	dir, key := replayStore(t, "plain")
	file := filepath.Join(t.TempDir(), "keys.trace")
	trace, err := keytrace.Create(file, keytrace.Settings{OneIn: 1})
	require.NoError(t, err)
	db, err := pebbleext.Open(dir, storeOptions(dir), pebbleext.Options{Plan: pebbleext.Uniform(bloom.FilterPolicy(10)), Asked: trace.Add})
	require.NoError(t, err)
	const lookups = 1000
	absent := 0
	for n := range lookups {
		found, err := db.Has(key(n + replayKeys - lookups/2)) // half of them were never written
		require.NoError(t, err)
		if !found {
			absent++
		}
	}
	require.NoError(t, trace.Close())
	require.NoError(t, db.Close())
	got, r := replayJSON(t, dir, "--keys", file)
	require.Equal(t, lookups, r.Settings.Keys)
	require.InDelta(t, float64(absent)/lookups, r.Settings.Absent, 1e-9)
	require.NotContains(t, got.stderr, "within a chunk")

	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(whole, 9, 0, 0), 0o644))
	got, r = replayJSON(t, dir, "--keys", file)
	require.Equal(t, lookups, r.Settings.Keys)
	require.Contains(t, got.stderr, "ends within a chunk")
	require.NoError(t, os.WriteFile(file, append(whole, make([]byte, 9)...), 0o644))
	got = command(t, t.Context(), "replay", dir, "--keys", file)
	require.Equal(t, exitUsage, got.status)
	require.Contains(t, got.stderr, "a damaged one")
	got = command(t, t.Context(), "replay", dir, "--keys", file, "--hex")
	require.Equal(t, exitUsage, got.status)
	require.Contains(t, got.stderr, "key trace")
}

func TestReplayMistakes(t *testing.T) {
	dir, _ := replayStore(t, cockroachStore)
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("61ff\nzz\n"), 0o644))
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{dir}, "--sample 10000"},
		{[]string{dir, "--keys", "k", "--sample", "1"}, "[keys sample]"},
		{[]string{dir, "--sample", "-1"}, "no whole number"},
		{[]string{dir, "--sample", "1", "--absent", "2"}, "--absent 2"},
		{[]string{dir, "--keys", bad, "--hex", "--base64"}, "[hex base64]"},
		{[]string{dir, "--keys", bad, "--hex"}, "line 2"},
		{[]string{dir, "--keys", bad}, "comparer cockroach_comparator"},
		{[]string{dir, "--keys", empty}, "it has no keys"},
		{[]string{dir, "--keys", filepath.Join(dir, "no")}, "no such file"},
		{[]string{t.TempDir(), "--sample", "10"}, "no Pebble store"},
		{[]string{dir, "--sample", "10", "--memory", "1"}, "--memory"},
		{[]string{dir, "--sample", "10", "--threads", "0"}, "--threads"},
	} {
		got := command(t, t.Context(), append([]string{"replay", "--out", ""}, c.args...)...)
		require.Equal(t, exitUsage, got.status, "%v: %s", c.args, got.stderr)
		require.Contains(t, got.stderr, c.want)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}

// TestRefilterKeepsProperties refilters a store whose tables have the block
// properties of CockroachDB's keys.
func TestRefilterKeepsProperties(t *testing.T) {
	dir, key := replayStore(t, cockroachStore)
	got := command(t, t.Context(), "refilter", dir, "--plan", "bloom:10")
	require.Equal(t, exitOK, got.status, got.stderr)
	db, err := pebble.Open(dir, storeOptions(dir))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	name := cockroachkvs.BlockPropertyCollectors[0]().Name()
	for _, tables := range levels {
		for _, table := range tables {
			require.Contains(t, table.Properties.UserProperties, name)
		}
	}
	_, closer, err := db.Get(key(replayKeys - 1))
	require.NoError(t, err)
	require.NoError(t, closer.Close())
}

// TestReplayDamaged damages the footer of a table: replay ends with one line that
// names the table in the store, and leaves nothing behind.
func TestReplayDamaged(t *testing.T) {
	dir := newStore(t, nil)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	content, err := os.ReadFile(tables[0])
	require.NoError(t, err)
	content[len(content)-1] ^= 1
	require.NoError(t, os.WriteFile(tables[0], content, 0o644))
	for _, args := range [][]string{{"--sample", "1000"}, {"--sample", "1000", "--rewrite"}} {
		got := command(t, t.Context(), append([]string{"replay", dir, "--out", ""}, args...)...)
		require.Equal(t, exitFailure, got.status, got.stderr)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		require.Contains(t, got.stderr, filepath.Base(tables[0])[:6])
		require.NotContains(t, got.stderr, "benchdb-")
		require.NotContains(t, got.stderr, "<")
	}
	manifests, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifests[0], nil, 0o644))
	got := command(t, t.Context(), "replay", dir, "--out", "", "--sample", "1")
	require.Equal(t, exitFailure, got.status, "the argument is right, the store is not")
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
}
