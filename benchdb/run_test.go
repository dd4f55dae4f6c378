package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
)

// tiny is a store whose data is 10 times the cache, and few operations.
var tiny = []string{"run", "--records", "6000", "--value-size", "100", "--cache-size", "64KiB", "--operations", "400", "--html", ""}

// fitting has a cache that filters fit in, and operations enough for a Reader to
// learn that it should ask them.
var fitting = []string{"--records", "20000", "--cache-size", "1MiB", "--operations", "2000"}

// runJSON runs benchdb and reads its JSON file.
func runJSON(t *testing.T, args ...string) (outcome, run.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), slices.Concat(tiny, []string{"--json", file}, args)...)
	require.Equal(t, exitOK, got.status, got.stderr)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var r run.Result
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&r))
	return got, r
}

// row returns a workload's row; the test fails without it.
func row(t *testing.T, r run.Result, workload, policy string, lookup run.Lookup) run.Row {
	t.Helper()
	for _, w := range r.Workloads {
		if row := w.Row(policy, lookup); w.Name == workload && row != nil {
			return *row
		}
	}
	require.FailNow(t, "no such row", "%s %s %s", workload, policy, lookup)
	return run.Row{}
}

func TestRun(t *testing.T) {
	got, r := runJSON(t)
	require.Regexp(t, "^benchdb: making 4 stores of 721 KiB in .*\n$", got.stderr)
	require.False(t, r.Interrupted)
	require.Len(t, r.Workloads, len(ycsb.UsualNames()))
	requireColumns(t, got.stdout)

	for _, s := range r.Stores[1:] {
		require.Equal(t, shape(r.Stores[0]), shape(s), "only filters may differ")
	}
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			requireSound(t, w, row)
		}
	}

	none := row(t, r, ycsb.AbsentName, "none", "Get")
	require.Zero(t, none.Queries.Number())
	require.Positive(t, none.Reads.Data.Reads)

	require.Equal(t, none.Reads, row(t, r, ycsb.AbsentName, "bloom:10", "Get").Unfiltered,
		"filters off read as a store without filters does")
	require.Zero(t, levelQueries(row(t, r, ycsb.AbsentName, "bloom:10", "Get"), 6), "Get asked L6's filters")
	require.Positive(t, row(t, r, "C", "bloom:10", "Get").Queries.TruePositives)
}

func TestRunReader(t *testing.T) {
	_, r := runJSON(t, append(fitting, "--workloads", "absent", "--policies", "bloom:10")...)
	absent := row(t, r, ycsb.AbsentName, "bloom:10", "Reader")
	require.Zero(t, absent.Queries.TruePositives)
	require.Less(t, absent.Reads.Data.Reads, absent.Unfiltered.Data.Reads/2)
	require.Positive(t, absent.SkippedReads)
	require.Positive(t, levelQueries(absent, 6))
	require.Positive(t, levelQueries(absent, 0))
}

// requireColumns fails if the text is wider than a terminal.
func requireColumns(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 80, line)
	}
}

// shape is a store's levels without the filters.
func shape(s store.Description) []store.Level {
	levels := slices.Clone(s.Levels)
	for i := range levels {
		levels[i].Bytes -= levels[i].FilterBytes
		levels[i].FilterBytes = 0
		levels[i].Bytes /= 4096 // properties hold the filter's name and size
	}
	return levels
}

func levelQueries(r run.Row, level int) int64 {
	for _, l := range r.Queries.ByLevel {
		if l.Level == level {
			return l.Number()
		}
	}
	return 0
}

func requireSound(t *testing.T, w run.Workload, row run.Row) {
	t.Helper()
	name := fmt.Sprint(w.Name, row.Policy, row.Lookup)
	require.NotNil(t, row.Timing, name)
	require.EqualValues(t, 400, row.Timing.Operations, name)
	require.Positive(t, row.Timing.OperationsPerS, name)
	require.LessOrEqual(t, row.Timing.Latency.P50, row.Timing.Latency.P99, name)
	if row.ResidentBytes == 0 { // filters in memory may save every read
		require.Positive(t, row.Reads.Total.Bytes, name)
	}
	require.Zero(t, row.Queries.Unknown, name)
	if row.Policy == "none" || row.Lookup != "Get" { // a Reader asks filters if that is cheaper
		return
	}
	require.Positive(t, row.Queries.Number(), name)
	require.Positive(t, row.SkippedReads, name)
	require.NotNil(t, row.Queries.FPR, name)
	expected := 0.01
	if row.Policy == "dense:10" {
		expected = 0.00166
	}
	require.InEpsilon(t, expected, *row.Queries.ExpectedFPR, 0.15, name)
}

// Blocks of Gravel have random seeds, so only others' counts repeat.
func TestCountsAreReproducible(t *testing.T) {
	args := []string{"--workloads", "absent,C", "--absent", "0.5", "--policies", "none pebble-bloom:10"}
	_, first := runJSON(t, args...)
	_, second := runJSON(t, args...)
	for i, w := range first.Workloads {
		for j, row := range w.Rows {
			again := second.Workloads[i].Rows[j]
			if row.Lookup != "Get" {
				continue // a Reader reads in the way that took least time
			}
			require.Equal(t, row.Reads, again.Reads)
			require.Equal(t, row.Queries, again.Queries)
		}
	}
	_, other := runJSON(t, append(args, "--seed", "2")...)
	require.NotEqual(t, first.Workloads[0].Rows[0].Reads, other.Workloads[0].Rows[0].Reads)
}

func TestRunWithThreads(t *testing.T) {
	_, r := runJSON(t, "--threads", "3", "--policies", "bloom:10")
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			requireSound(t, w, row)
		}
	}
}

// Several numbers of threads have rows each.
func TestRunWithSeveralThreads(t *testing.T) {
	got, r := runJSON(t, "--threads", "1,3", "--workloads", "C", "--policies", "none", "--duration", "1us")
	requireColumns(t, got.stdout)
	require.Contains(t, got.stdout, "YCSB C, 3 threads")
	require.Len(t, r.Workloads, 2)
	for i, threads := range []int{1, 3} {
		require.Equal(t, threads, r.Workloads[i].Threads)
		for _, row := range r.Workloads[i].Rows {
			require.NotNil(t, row.Timing)
			require.Equal(t, 400, row.Operations, "counted are as many as asked for")
			require.Len(t, row.Timing.RoundNS, 10)
		}
	}
}

// YCSB's core files run as they are, and flags go before what they say.
func TestRunYCSBFiles(t *testing.T) {
	dir := filepath.Join("internal", "ycsb", "testdata")
	var files []string
	for _, letter := range "abcdef" {
		files = append(files, filepath.Join(dir, "workload"+string(letter)))
	}
	out := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), "--workloads", strings.Join(files, ","), "--policies", "bloom:10", "--html", "", "--json", out)
	require.Equal(t, exitOK, got.status, got.stderr)
	requireColumns(t, got.stdout)
	content, err := os.ReadFile(out)
	require.NoError(t, err)
	var r run.Result
	require.NoError(t, json.Unmarshal(content, &r))
	require.Equal(t, 1000, r.Settings.Records)
	require.Len(t, r.Workloads, 6)
	require.Equal(t, "workloada", r.Workloads[0].Name)
	require.Equal(t, 1000, r.Workloads[5].Rows[0].Operations)

	_, r = runJSON(t, "--workloads", files[2], "--policies", "none", "--key-size", "40", "--distribution", "latest")
	require.Equal(t, 6000, r.Settings.Records)
	require.Equal(t, 400, r.Workloads[0].Rows[0].Operations)

	mine := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(mine, []byte("recordcount=2000\nreadproportion=1\nupdateproportion=0\ntable=t\n"), 0o644))
	got = command(t, t.Context(), "--workloads", files[0]+","+mine)
	require.Equal(t, exitUsage, got.status)
	require.Contains(t, got.stderr, "say --records and --value-size")
	got = command(t, t.Context(), "--workloads", mine, "--policies", "none", "--operations", "10", "--html", "", "--quiet")
	require.Equal(t, exitOK, got.status)
	require.Empty(t, got.stderr)
	require.Contains(t, command(t, t.Context(), "--workloads", mine, "--policies", "none", "--operations", "10", "--html", "").stderr, "mine: ignored table\n")
}

func TestRunLevelPlan(t *testing.T) {
	const plan = "L0-L5=bloom:12,layout=flat;L6=none"
	got, r := runJSON(t, append(fitting, "--workloads", "absent", "--policies", plan)...)
	requireColumns(t, got.stdout)
	reader := row(t, r, ycsb.AbsentName, plan, "Reader")
	require.Zero(t, levelQueries(reader, 6))
	require.Positive(t, levelQueries(reader, 5))
}

func TestLoadByWrites(t *testing.T) {
	_, r := runJSON(t, append(fitting, "--load", "write", "--policies", "bloom:10", "--workloads", "absent")...)
	require.Equal(t, 6, r.Stores[0].Levels[len(r.Stores[0].Levels)-1].Level)
	require.GreaterOrEqual(t, r.Stores[0].Filters.Build.Keys, int64(20_000))
	require.Positive(t, row(t, r, ycsb.AbsentName, "bloom:10", "Reader").SkippedReads)
}

func TestDirect(t *testing.T) {
	if err := diskio.CheckDirect(t.TempDir()); err != nil {
		t.Skip(err)
	}
	got, r := runJSON(t, "--direct", "--policies", "bloom:10", "--workloads", "absent")
	timing := row(t, r, ycsb.AbsentName, "bloom:10", "Get").Timing
	require.Equal(t, run.Device, timing.Source)
	require.Contains(t, got.stdout, "reads served by the device")
}

// The sweep starts with a cache that holds little and ends with one that holds
// everything.
func TestSweepCache(t *testing.T) {
	got, r := runJSON(t, append(fitting, "--sweep-cache", "--workloads", "absent,A,C", "--policies", "none bloom:10")...)
	require.Contains(t, got.stdout, "reads/op by block cache, through Reader")
	requireColumns(t, got.stdout)
	for _, workload := range []string{ycsb.AbsentName, "C"} {
		reads := map[string][]int64{}
		for _, row := range r.CacheSweep {
			if row.Workload == workload {
				reads[row.Policy] = append(reads[row.Policy], row.Reads.Total.Reads)
			}
		}
		require.Len(t, reads, 2)
		for _, counts := range reads {
			require.GreaterOrEqual(t, len(counts), 4)
			require.Positive(t, counts[0])
			require.Zero(t, counts[len(counts)-1], "%s: the cache holds everything", workload)
		}
		if workload == ycsb.AbsentName {
			middle := len(reads["none"]) / 2 // the smallest caches hold no filter block
			require.Greater(t, reads["none"][middle], reads["bloom:10"][middle])
		}
	}
}

// The less memory there is for filters, the more bytes lookups read. Nothing is
// said of times.
func TestSweepMemory(t *testing.T) {
	got, r := runJSON(t, "--sweep-memory", "--records", "50000", "--value-size", "16", "--workloads", "absent,A", "--policies", "none pebble-bloom:10 bloom:10")
	require.Contains(t, got.stdout, "KiB/op by memory, in multiples of the filters")
	requireColumns(t, got.stdout)
	bytes := map[string][]int64{}
	for _, row := range r.MemorySweep {
		require.Equal(t, ycsb.AbsentName, row.Workload)
		require.InDelta(t, row.Ratio*float64(r.FilterBytes()), row.CacheSize+row.FilterMemory, 1)
		require.EqualValues(t, 400, row.Timing.Operations)
		name := row.Policy + " " + string(row.Lookup)
		bytes[name] = append(bytes[name], row.Reads.Total.Bytes)
	}
	require.Len(t, bytes, 5)
	for _, name := range []string{"none Get", "pebble-bloom:10 Get", "pebble-bloom:10 L6", "bloom:10 resident"} {
		require.Len(t, bytes[name], 6, name)
		require.GreaterOrEqual(t, bytes[name][0], bytes[name][5], name)
	}
	require.Greater(t, bytes["pebble-bloom:10 L6"][0], bytes["pebble-bloom:10 L6"][5])
}

func TestHTML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	args := slices.Concat(tiny, []string{"--html", file, "--workloads", "absent", "--policies", "none bloom:10"})
	got := command(t, t.Context(), args...)
	require.Equal(t, exitOK, got.status, got.stderr)
	require.True(t, strings.HasSuffix(got.stderr, "\nbenchdb: report in "+file+"\n"), got.stderr)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(page), "With bloom:10 (")
	require.Empty(t, command(t, t.Context(), append(args, "--quiet", "--policies", "none", "--operations", "10")...).stderr)
}

func TestRunWritesAPageByDefault(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	args := append(slices.Clone(tiny), "--workloads", "C", "--policies", "none")
	i := slices.Index(args, "--html")
	require.Equal(t, exitOK, command(t, t.Context(), slices.Delete(args, i, i+2)...).status)
	require.FileExists(t, filepath.Join(dir, "benchdb-report.html"))
}

func TestJSONInPlaceOfText(t *testing.T) {
	args := slices.Concat(tiny, []string{"--workloads", "absent,C", "--policies", "none", "--json", "-"})
	var r run.Result
	require.NoError(t, json.Unmarshal([]byte(command(t, t.Context(), args...).stdout), &r))
	require.Len(t, r.Workloads, 2)
}

func TestDirKeepsTheStores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stores")
	args := slices.Concat(tiny, []string{"--dir", dir, "--workloads", "A", "--policies", "none bloom:10"})
	require.Equal(t, exitOK, command(t, t.Context(), args...).status)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)

	opts := &pebble.Options{ReadOnly: true}
	plan, err := pebbleext.ParsePlan("bloom:10")
	require.NoError(t, err)
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	db, err := pebble.Open(filepath.Join(dir, "2-bloom-10"), opts)
	require.NoError(t, err)
	_, closer, err := db.Get(ycsb.Keys(0).Append(nil, 0))
	require.NoError(t, err)
	require.NoError(t, closer.Close())
	require.NoError(t, db.Close())

	again := command(t, t.Context(), args...)
	require.Equal(t, exitUsage, again.status)
	require.Contains(t, again.stderr, "new or empty")
	inside := command(t, t.Context(), "--dir", filepath.Join(dir, "1-none"))
	require.Equal(t, exitUsage, inside.status)
	require.Contains(t, inside.stderr, "holds a Pebble store")
}

// cancelAfter cancels once a text was written.
type cancelAfter struct {
	bytes.Buffer
	text   string
	cancel context.CancelFunc
}

func (w *cancelAfter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.text)) {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct{ after, printed string }{
		{"records of", "records of"},
		{"absent keys", "bloom:10"},
	} {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		file, page := filepath.Join(t.TempDir(), "out.json"), filepath.Join(t.TempDir(), "out.html")
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &cancelAfter{text: c.after, cancel: cancel}
		var stderr bytes.Buffer
		status := execute(ctx, append(slices.Clone(tiny), "--policies", "none bloom:10", "--json", file, "--html", page), stdout, &stderr)
		require.Equal(t, exitFailure, status)
		require.True(t, strings.HasSuffix(stderr.String(), "benchdb: report in "+page+"\nbenchdb: interrupted\n"), stderr.String())
		require.FileExists(t, page)
		require.Contains(t, stdout.String(), c.printed)
		require.NotContains(t, stdout.String(), "YCSB B")

		left, err := os.ReadDir(temporary)
		require.NoError(t, err)
		require.Empty(t, left)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		var r run.Result
		require.NoError(t, json.Unmarshal(content, &r))
		require.True(t, r.Interrupted)
	}
}

// TestRunInItsOwnDirectory keeps the stores where the report is written too.
func TestRunInItsOwnDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	got := command(t, t.Context(), "run", "--dir", ".", "--json", "out.json",
		"--records", "1000", "--operations", "100", "--workloads", "absent", "--policies", "none")
	require.Equal(t, exitOK, got.status, got.stderr)
	require.FileExists(t, "out.json")
	require.FileExists(t, "benchdb-report.html")
	require.DirExists(t, "1-none")
}
