package main

import (
	"bytes"
	"context"
	"encoding/csv"
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
	"golang.org/x/perf/benchfmt"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
)

// tiny is a store whose data is 10 times the memory, and few operations.
var tiny = []string{"run", "--records", "6000", "--value-size", "100", "--memory", "64KiB", "--operations", "400", "--out", ""}

// fitting has memory that filters fit in.
var fitting = []string{"--records", "20000", "--memory", "1MiB", "--operations", "2000"}

// runJSON runs benchdb and reads its JSON file.
func runJSON(t *testing.T, args ...string) (outcome, run.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), slices.Concat(tiny, []string{"--out", file}, args)...)
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
	got, r := runJSON(t, "--details")
	require.Regexp(t, "^benchdb: making 3 stores of 721 KiB in .*\n$", got.stderr)
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
	require.Zero(t, levelQueries(row(t, r, ycsb.AbsentName, "default", "Get"), 6), "Get asked L6's filters")
	require.Positive(t, levelQueries(row(t, r, ycsb.AbsentName, "pebble-bloom:10", "L6"), 6))
	require.Positive(t, row(t, r, "C", "pebble-bloom:10", "Get").Queries.TruePositives)
}

// The answer comes first, a line for each workload, with every contender at the
// same memory.
func TestAnswerFirst(t *testing.T) {
	got, r := runJSON(t, append([]string{"--workloads", "absent,A,E"}, fitting...)...)
	table, _, _ := strings.Cut(got.stdout, "\n\nOther processes")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	require.Len(t, lines, 11, got.stdout)
	require.Equal(t, "20,000 records of 100 bytes, memory 1MiB, 1 thread", lines[0])
	require.Regexp(t, `^workload +none +Bloom +\+L6 +Gravel +ratio +none +Bloom +\+L6 +Gravel +ratio$`, lines[2])
	require.Regexp(t, `^absent( +[0-9.]+){4} +\S+( +[0-9.]+){5}$`, lines[4])
	for _, w := range r.Workloads {
		require.EqualValues(t, 1<<20, w.Memory)
		for _, row := range w.Rows {
			require.LessOrEqual(t, row.CacheBytes+row.ResidentBytes, int64(w.Memory))
			require.Equal(t, row.Lookup == run.DB && w.Name != "E", row.CacheBytes < int64(w.Memory))
		}
	}
	absent := row(t, r, ycsb.AbsentName, "default", run.DB)
	require.Positive(t, absent.ResidentBytes)
	require.Less(t, 20*absent.ReadsPerOp(), row(t, r, ycsb.AbsentName, "none", run.Get).ReadsPerOp())
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

func requireSound(t *testing.T, w run.Outcome, row run.Row) {
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
	if row.Policy == "none" || row.Lookup != "Get" { // a DB asks filters if that is cheaper
		return
	}
	require.Positive(t, row.Queries.Number(), name)
	require.NotNil(t, row.Queries.FPR, name)
	most := 0.05
	if row.Policy == "default" { // of 14 bits in L0 and L4, of 12 in L5
		most = 0.01
	}
	require.Less(t, *row.Queries.FPR, most, name)
}

// Blocks of Gravel have random seeds, so only others' counts repeat.
func TestCountsAreReproducible(t *testing.T) {
	args := []string{"--workloads", "absent,C", "--absent", "0.5", "--policies", "none pebble-bloom:10"}
	_, first := runJSON(t, args...)
	_, second := runJSON(t, args...)
	for i, w := range first.Workloads {
		for j, row := range w.Rows {
			again := second.Workloads[i].Rows[j]
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
	got, r := runJSON(t, "--threads", "1,3", "--workloads", "C", "--policies", "none", "--rounds", "2")
	requireColumns(t, got.stdout)
	require.Contains(t, got.stdout, "\nC ×3 ")
	require.Len(t, r.Workloads, 2)
	for i, threads := range []int{1, 3} {
		require.Equal(t, threads, r.Workloads[i].Threads)
		for _, row := range r.Workloads[i].Rows {
			require.NotNil(t, row.Timing)
			require.Equal(t, 800, row.Operations)
			require.Len(t, row.Timing.TurnNS, 20)
		}
	}
}

func TestRunLevelPlan(t *testing.T) {
	const plan = "L0-L5=bloom:12,layout=flat;L6=none"
	got, r := runJSON(t, append(fitting, "--workloads", "absent", "--policies", plan)...)
	requireColumns(t, got.stdout)
	db := row(t, r, ycsb.AbsentName, plan, run.DB)
	require.Zero(t, levelQueries(db, 6))
	require.Positive(t, levelQueries(db, 5))
}

func TestLoadByWrites(t *testing.T) {
	_, r := runJSON(t, append(fitting, "--load", "write", "--policies", "bloom:10", "--workloads", "absent")...)
	require.Equal(t, 6, r.Stores[0].Levels[len(r.Stores[0].Levels)-1].Level)
	require.GreaterOrEqual(t, r.Stores[0].Filters.Build.Keys, int64(20_000))
	require.Positive(t, row(t, r, ycsb.AbsentName, "bloom:10", run.DB).Queries.TrueNegatives)
}

func TestDirect(t *testing.T) {
	if err := diskio.CheckDirect(t.TempDir()); err != nil {
		t.Skip(err)
	}
	got, r := runJSON(t, "--direct", "--policies", "bloom:10", "--workloads", "absent", "--details")
	timing := row(t, r, ycsb.AbsentName, "bloom:10", "Get").Timing
	require.Equal(t, run.Device, timing.Source)
	require.Contains(t, got.stdout, "reads served by the device")
}

// With several sizes of memory, more of it makes fewer bytes, and a chart.
func TestSizesOfMemory(t *testing.T) {
	got, r := runJSON(t, "--memory", "64KiB,4MiB", "--workloads", "absent", "--policies", "none pebble-bloom:10 dense:10", "--records", "20000", "--operations", "1000")
	requireColumns(t, got.stdout)
	require.Contains(t, got.stdout, "\nabsent 64KiB ")
	require.Len(t, r.Workloads, 2)
	bytes := map[string][]int64{}
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			require.LessOrEqual(t, row.CacheBytes+row.ResidentBytes, int64(w.Memory))
			name := row.Policy + " " + string(row.Lookup)
			bytes[name] = append(bytes[name], row.Reads.Total.Bytes)
		}
	}
	require.Len(t, bytes, 5)
	for name, counts := range bytes {
		require.GreaterOrEqual(t, counts[0], counts[1], name)
	}
	require.Greater(t, bytes["none Get"][0], bytes["none Get"][1])
	titles := func() (titles []string) {
		for _, c := range r.Page().Charts {
			titles = append(titles, c.Title)
		}
		return titles
	}()
	require.Contains(t, titles, "Disk reads against memory, absent keys")
}

// A load of inserts that look first, and one that changes.
func TestOtherLoads(t *testing.T) {
	_, r := runJSON(t, "--workloads", "unique,shift", "--policies", "none dense:10", "--details")
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			require.EqualValues(t, 400, row.Timing.Operations)
		}
	}
	require.Positive(t, row(t, r, "unique", "dense:10", "Get").Queries.TrueNegatives)
	_, r = runJSON(t, "--workloads", "absent", "--policies", "none", "--memory", "256KiB", "--distribution", "zipfian")
	_, even := runJSON(t, "--workloads", "absent", "--policies", "none", "--memory", "256KiB")
	require.Less(t, row(t, r, "absent", "none", "Get").Reads.Total.Reads, row(t, even, "absent", "none", "Get").Reads.Total.Reads,
		"the cache holds what is popular")
}

func TestHTML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	args := slices.Concat(tiny, []string{"--out", file, "--workloads", "absent", "--policies", "none bloom:10"})
	got := command(t, t.Context(), args...)
	require.Equal(t, exitOK, got.status, got.stderr)
	require.True(t, strings.HasSuffix(got.stderr, "\nbenchdb: report in "+file+"\n"), got.stderr)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(page), " of memory in all and bloom:10 (")
}

func TestRunWritesAPageByDefault(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	args := append(slices.Clone(tiny), "--workloads", "C", "--policies", "none")
	i := slices.Index(args, "--out")
	require.Equal(t, exitOK, command(t, t.Context(), slices.Delete(args, i, i+2)...).status)
	require.FileExists(t, filepath.Join(dir, "benchdb-report.html"))
}

func TestJSONInPlaceOfText(t *testing.T) {
	args := slices.Concat(tiny, []string{"--workloads", "absent,C", "--policies", "none", "--out", "-"})
	var r run.Result
	require.NoError(t, json.Unmarshal([]byte(command(t, t.Context(), args...).stdout), &r))
	require.Len(t, r.Workloads, 2)
}

// Stores that are kept are those of Pebble, and are measured again.
func TestStoreIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stores")
	args := []string{"--store", dir, "--workloads", "absent", "--policies", "pebble-bloom:10"}
	got, first := runJSON(t, args...)
	require.Contains(t, got.stderr, "making 1 store of")
	_, err := os.Stat(filepath.Join(dir, "pebble-bloom-10"))
	require.NoError(t, err)

	opts := &pebble.Options{ReadOnly: true, Logger: fatalLogger{os.Stderr}}
	plan, err := pebbleext.ParsePlan("pebble-bloom:10")
	require.NoError(t, err)
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	db, err := pebble.Open(filepath.Join(dir, "pebble-bloom-10"), opts)
	require.NoError(t, err)
	_, closer, err := db.Get(ycsb.Keys(0).Append(nil, 0))
	require.NoError(t, err)
	require.NoError(t, closer.Close())
	require.NoError(t, db.Close())

	got, again := runJSON(t, args...)
	require.Empty(t, got.stderr)
	require.Equal(t, first.Stores, again.Stores)
	for i, row := range first.Workloads[0].Rows {
		require.Positive(t, row.Queries.Number())
		require.Equal(t, row.Queries, again.Workloads[0].Rows[i].Queries)
		require.Equal(t, row.Reads, again.Workloads[0].Rows[i].Reads)
	}
	other := command(t, t.Context(), slices.Concat(tiny, args, []string{"--records", "5000"})...)
	require.Equal(t, exitUsage, other.status)
	require.Contains(t, other.stderr, "--records 6000")
	inside := command(t, t.Context(), "--store", filepath.Join(dir, "pebble-bloom-10"))
	require.Equal(t, exitUsage, inside.status)
	require.Contains(t, inside.stderr, "holds other things")
}

// Rounds are openings with operations of their own, summed up.
func TestRounds(t *testing.T) {
	got, r := runJSON(t, "--rounds", "3", "--workloads", "absent,A", "--policies", "none pebble-bloom:10", "--warmup", "50", "--details")
	requireColumns(t, got.stdout)
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			require.Equal(t, 3*400, row.Operations)
			require.EqualValues(t, 3*400, row.Timing.Operations)
			require.Len(t, row.RoundReads, 3)
			require.Len(t, row.Timing.TurnNS, 30)
			require.InDelta(t, row.ReadsPerOp(), (row.RoundReads[0]+row.RoundReads[1]+row.RoundReads[2])/3, 1e-9)
			require.Equal(t, row.Reads.Total, row.Reads.Sum())
		}
	}
	bloom := row(t, r, ycsb.AbsentName, "pebble-bloom:10", "Get")
	require.NotEqual(t, bloom.RoundReads[0], bloom.RoundReads[1], "rounds ask for keys of their own")
}

// Operations come at the rate, and at one that is too high wait for those before
// them.
func TestRate(t *testing.T) {
	timing := func(rate string) *run.Timing {
		_, r := runJSON(t, "--rate", rate, "--workloads", "absent", "--policies", "none")
		return row(t, r, ycsb.AbsentName, "none", "Get").Timing
	}
	require.Less(t, timing("2k").OperationsPerS, 2600.0, "400 arrivals take 0.2 s, ± 5 %")
	fast := timing("1G")
	require.Greater(t, fast.Latency.P50, int64(0.3*1e9*fast.Seconds/10), "the queue grows through each turn")
}

// Files for other programs have what the JSON file has.
func TestOtherFiles(t *testing.T) {
	table, benchmarks := filepath.Join(t.TempDir(), "out.csv"), filepath.Join(t.TempDir(), "out.txt")
	_, r := runJSON(t, "--workloads", "absent", "--policies", "none", "--out", table+","+benchmarks)
	none := row(t, r, ycsb.AbsentName, "none", "Get")
	content, err := os.ReadFile(table)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"workload", "memory", "policy", "lookup", "reads/op"}, rows[0][:5])
	require.Equal(t, []string{"absent", "64KiB", "none", "Get", fmt.Sprint(none.ReadsPerOp())}, rows[1][:5])

	file, err := os.Open(benchmarks)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	reader := benchfmt.NewReader(file, "out.txt")
	var lines []*benchfmt.Result
	for reader.Scan() {
		line, ok := reader.Result().(*benchfmt.Result)
		require.True(t, ok, reader.Result())
		lines = append(lines, line.Clone())
	}
	require.NoError(t, reader.Err())
	require.Len(t, lines, 10, "a line for each turn")
	require.Equal(t, "Run/workload=absent/memory=64KiB/policy=none/lookup=Get", lines[0].Name.String())
	reads, _ := lines[0].Value("reads/op")
	require.Equal(t, none.ReadsPerOp(), reads)
	last, _ := lines[9].Value("sec/op")
	require.InEpsilon(t, none.Timing.TurnNS[9]/1e9, last, 1e-9)
	p99, _ := lines[0].Value("p99-sec")
	require.InEpsilon(t, float64(none.Timing.Latency.P99)/1e9, p99, 1e-9)
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
		{"absent ", "bloom:10"},
	} {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		file, page := filepath.Join(t.TempDir(), "out.json"), filepath.Join(t.TempDir(), "out.html")
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &cancelAfter{text: c.after, cancel: cancel}
		var stderr bytes.Buffer
		status := execute(ctx, append(slices.Clone(tiny), "--policies", "none bloom:10", "--out", file, "--out", page), stdout, &stderr)
		require.Equal(t, exitFailure, status)
		require.True(t, strings.HasSuffix(stderr.String(), "benchdb: report in "+page+"\nbenchdb: interrupted\n"), stderr.String())
		require.FileExists(t, page)
		require.Contains(t, stdout.String(), c.printed)
		require.NotContains(t, stdout.String(), "\nB ")

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
	got := command(t, t.Context(), "run", "--store", ".", "--out", "out.json,page.html",
		"--records", "1000", "--operations", "100", "--workloads", "absent", "--policies", "none")
	require.Equal(t, exitOK, got.status, got.stderr)
	require.FileExists(t, "out.json")
	require.FileExists(t, "page.html")
	require.DirExists(t, "none")
}
