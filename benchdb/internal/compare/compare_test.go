package compare

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
)

// runFile writes a result with reads and rounds of one row, and returns the
// file's name.
func runFile(t *testing.T, reads int64, rounds ...float64) string {
	t.Helper()
	return policyFile(t, "pebble-bloom:10", 1, reads, rounds...)
}

func policyFile(t *testing.T, policy string, seed uint64, reads int64, rounds ...float64) string {
	t.Helper()
	return write(t, run.Result{
		Head:     report.Head{Schema: report.Schema, Command: "run"},
		Settings: run.Settings{Records: 1000, Seed: seed},
		Measured: run.Measured{Workloads: []run.Workload{{Name: "absent", Rows: []run.Row{{
			Policy: policy, Lookup: "Reader",
			RoundReads: []float64{float64(reads) / 1000},
			Cost:       run.Cost{Operations: 1000, Reads: diskio.Counts{Total: diskio.Count{Reads: reads, Bytes: reads * 4096}}},
			Timing:     &run.Timing{Latency: run.Latency{P99: 100}, TurnNS: rounds},
		}}}}},
	})
}

func write(t *testing.T, result any) string {
	t.Helper()
	content, err := json.Marshal(result)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "result.json")
	require.NoError(t, os.WriteFile(name, content, 0o644))
	return name
}

func group(t *testing.T, names ...string) Group {
	t.Helper()
	g, err := Read(names)
	require.NoError(t, err)
	return g
}

func find(t *testing.T, rows []Row, metric string) Row {
	t.Helper()
	for _, r := range rows {
		if r.Metric == metric {
			return r
		}
	}
	require.FailNow(t, "no such row", metric)
	return Row{}
}

func TestCountsAreExact(t *testing.T) {
	old := group(t, runFile(t, 100, 10))
	for _, c := range []struct {
		reads  int64
		change float64
		worse  bool
	}{{100, 0, false}, {104, 0.04, false}, {110, 0.10, true}, {50, -0.5, false}} {
		row := find(t, Compare(old, group(t, runFile(t, c.reads, 10))), "reads/op")
		require.InDelta(t, c.change, row.Change, 1e-9)
		require.Equal(t, c.change != 0, row.Significant())
		require.Equal(t, c.worse, row.Worse(0.05))
	}
	row := find(t, Compare(group(t, runFile(t, 0, 10)), old), "reads/op")
	require.True(t, row.Worse(1), "from none to some is worse than any threshold")
	require.Zero(t, find(t, Compare(group(t, runFile(t, 0, 10)), group(t, runFile(t, 0, 10))), "reads/op").Change)
}

// Filters of Gravel draw seeds, and another seed asks for other keys: then counts
// are random samples. One of 1,000 events differs by less than 20 % by chance.
func TestCountsByChance(t *testing.T) {
	for _, c := range []struct {
		policy      string
		seed        uint64
		reads       int64
		significant bool
	}{
		{"pebble-bloom:10", 1, 1050, true},
		{"pebble-bloom:10", 2, 1050, false},
		{"pebble-bloom:10", 2, 1300, true},
		{"dense:10", 1, 1050, false},
		{"dense:10", 1, 1300, true},
		{"dense:10", 1, 700, true},
		{"dense:10", 1, 0, true},
	} {
		old, new := group(t, policyFile(t, c.policy, 1, 1000, 10)), group(t, policyFile(t, c.policy, c.seed, c.reads, 10))
		row := find(t, Compare(old, new), "reads/op")
		require.Equal(t, c.significant, row.Significant(), "%+v", c)
		require.Equal(t, c.significant && c.reads > 1000, row.Worse(0.05), "%+v", c)
	}
	// What workloads that write read depends on when compactions run.
	file := func(reads int64) Group {
		name := runFile(t, reads, 10)
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, bytes.Replace(content, []byte(`"name":"absent"`), []byte(`"name":"A"`), 1), 0o644))
		return group(t, name)
	}
	require.False(t, find(t, Compare(file(1000), file(2000)), "reads/op").Significant(), "one sample may be chance")
	// What is written as +0.0% is no difference.
	row := find(t, Compare(group(t, runFile(t, 100_000, 10)), group(t, runFile(t, 100_040, 10))), "reads/op")
	require.False(t, row.Significant())
}

func TestTimesNeedSamples(t *testing.T) {
	slow := []float64{20, 21, 22, 23, 24, 25, 26, 27, 28, 29}
	fast := []float64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	old := group(t, runFile(t, 1, fast...))
	row := find(t, Compare(old, group(t, runFile(t, 1, slow...))), "ns/op")
	require.True(t, row.Worse(0.5))
	require.InDelta(t, 24.5/14.5-1, row.Change, 1e-9)
	require.Less(t, row.Old.Lo, 14.5)
	require.Greater(t, row.Old.Hi, 14.5)
	require.False(t, find(t, Compare(old, old), "ns/op").Significant())
	require.False(t, find(t, Compare(old, group(t, runFile(t, 1, 99))), "ns/op").Significant(), "one sample may be chance")
}

// With enough files, a median of each is a sample, and rounds that differ
// within a run no longer make up for few runs.
func TestEnoughFiles(t *testing.T) {
	files := func(offset float64) Group {
		var names []string
		for i := range enoughFiles {
			names = append(names, runFile(t, 1, offset+float64(i), offset+float64(i)+0.1, offset+float64(i)+0.2))
		}
		return group(t, names...)
	}
	row := find(t, Compare(files(10), files(20)), "ns/op")
	require.Equal(t, enoughFiles, row.Comparison.N1)
	require.True(t, row.Worse(0.5))
	require.False(t, find(t, Compare(files(10), files(10)), "ns/op").Significant())
}

func TestMicro(t *testing.T) {
	result := func(ns float64) string {
		return write(t, micro.Result{
			Head:   report.Head{Schema: report.Schema, Command: "micro"},
			Builds: []micro.Builds{{Keys: 1000, Rows: []micro.BuildRow{{Policy: "bloom:10", BitsPerKey: 10, Time: &micro.Time{NS: ns}}}}},
			Queries: []micro.Queries{{Keys: 1000, KeySize: 16, Rows: []micro.QueryRow{
				{Policy: "bloom:10", OneCore: micro.Answers{Absent: micro.Time{NS: ns, Ratio: 1}}},
			}}},
		})
	}
	rows := Compare(group(t, result(1), result(2), result(3), result(4)), group(t, result(11), result(12), result(13), result(14)))
	require.True(t, find(t, rows, "build-ns/key").Worse(1))
	require.True(t, find(t, rows, "absent-ns").Worse(1))
	require.False(t, find(t, rows, "absent-ratio").Significant())
	require.False(t, find(t, rows, "bits/key").Significant())
}

func TestReadNamesWhatIsWrong(t *testing.T) {
	good := runFile(t, 1, 1)
	text := func(content string) string {
		name := filepath.Join(t.TempDir(), "bad.json")
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
		return name
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"absent.json"}, "absent.json"},
		{[]string{text("hello")}, "no result of benchdb"},
		{[]string{text("{} {}")}, "more than one value"},
		{[]string{text("{}")}, "schema 0"},
		{[]string{text(`{"schema":5,"command":"sing"}`)}, `"sing"`},
		{[]string{text(`{"schema":5,"command":"run"}`)}, "nothing was measured"},
		{[]string{text(`{"schema":5,"command":"run","stores":3}`)}, "stores"},
		{[]string{good, write(t, run.Result{Head: report.Head{Schema: report.Schema, Command: "run"}, Settings: run.Settings{Seed: 9}, Measured: run.Measured{Stores: []store.Description{{Filters: store.Filters{Bytes: 1}}}}})}, "unlike settings, "},
		{[]string{good, write(t, micro.Result{Head: report.Head{Schema: report.Schema, Command: "micro"}, Builds: []micro.Builds{{Rows: []micro.BuildRow{{}}}}})}, "is of run"},
	} {
		_, err := Read(c.names)
		require.ErrorContains(t, err, c.want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":5,"command":"run","workloads":[{"rows":[{"timing":{"turn_ns":[1]}}]}]}`))
	f.Add([]byte(`{"schema":5,"command":"micro","builds":[{"rows":[{"time":{}}]}],"queries":[{"rows":[{}]}]}`))
	name := filepath.Join(f.TempDir(), "fuzz.json")
	f.Fuzz(func(t *testing.T, content []byte) {
		require.NoError(t, os.WriteFile(name, content, 0o644))
		g, err := Read([]string{name})
		if err != nil {
			return
		}
		Print(&bytes.Buffer{}, Compare(g, g), 0)
	})
}

func TestPrint(t *testing.T) {
	rows := Compare(group(t, runFile(t, 100, 10, 11)), group(t, runFile(t, 120, 10, 12)))
	var out bytes.Buffer
	Print(&out, rows, 0.05)
	require.Regexp(t, `absent 0 pebble-bloom:10 Reader +0\.1 +0\.12 +\+20\.0% +exact +WORSE\n`, out.String())
	require.Regexp(t, `absent 0 pebble-bloom:10 Reader +100 +100 +~ +1\.000\n`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

func TestDifferences(t *testing.T) {
	a, b := group(t, runFile(t, 1, 1)), group(t, runFile(t, 1, 1))
	require.Empty(t, a.Differences(b))
	b.files[0].settings["seed"] = 9.0
	require.Equal(t, []Difference{{"seed", json.Number("1"), 9.0}}, a.Differences(b))
	delete(a.files[0].settings, "seed")
	require.Equal(t, []Difference{{"seed", nil, 9.0}}, a.Differences(b), "a setting that one file lacks")
}

// What settings shape is not judged, whatever it is.
func TestUnlikeSettings(t *testing.T) {
	for setting, judged := range map[string][]string{
		"operations": {},
		"absent":     {},
		"records":    {},
		"workloads":  {"reads/op", "read-B/op", "ns/op"},
		"cpu":        {"reads/op", "read-B/op"},
	} {
		old := group(t, runFile(t, 100, 10, 11, 12, 13, 14, 15))
		new := group(t, runFile(t, 200, 20, 21, 22, 23, 24, 25))
		new.files[0].settings[setting] = "another"
		var got []string
		for _, row := range Compare(old, new) {
			if row.Worse(0) {
				got = append(got, row.Metric)
			}
		}
		require.ElementsMatch(t, judged, got, setting)
	}
}
