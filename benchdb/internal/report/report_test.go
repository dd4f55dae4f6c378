package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/iocount"
	"github.com/gravelkv/gravel/benchdb/internal/probes"
	"github.com/gravelkv/gravel/benchdb/internal/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

func rate(f float64) *float64 { return &f }

func reads(n int64) results.Reads { return results.Reads{Total: iocount.Count{Reads: n}} }

// example has a row of each form: without filters, with, of a long policy, and
// one that was interrupted.
func example() *results.Run {
	const plan = "L0-L5=bloom:14,layout=flat;L6=bloom:7.5"
	levels := []results.Level{{Level: 0, Tables: 1, Keys: 2000}, {Level: 6, Tables: 10, Keys: 160_000}}
	timing := &results.Timing{
		OperationsPerS: 1_060_000, Source: results.PageCache,
		Latency: results.Latency{P50: 906, P99: 12_345},
	}
	slow := &results.Timing{
		OperationsPerS: 870, Source: results.PageCache,
		Latency: results.Latency{P50: 1_149_000, P99: 9_000_000},
	}
	return &results.Run{
		Environment: results.Environment{
			Go: "go1.26.0", Pebble: "v2.1.7", OS: "linux", Arch: "amd64", CPU: "A Processor", Cores: 2,
		},
		Settings: results.Settings{Records: 200_000, ValueSize: 1000, CacheSize: 16 << 20, Operations: 40_000, Threads: 1, Seed: 1},
		Stores: []results.Store{
			{Policy: "none", Levels: levels, LoadSeconds: 0.71},
			{Policy: "pebble-bloom:10", Levels: levels, LoadSeconds: 0.9, Filters: results.Filters{
				Bytes: 245 << 10, LargestBlock: 20_613, BitsPerKey: 10.04,
				Build: probes.Built{Blocks: 11, Keys: 200_000, Time: 5 * time.Millisecond},
			}},
			{Policy: plan, Levels: levels, LoadSeconds: 1.2, Filters: results.Filters{
				Bytes: 3 << 20, LargestBlock: 1 << 20, BitsPerKey: 8.8,
				Build: probes.Built{Blocks: 11, Keys: 200_000, Time: 6 * time.Millisecond},
			}},
		},
		Workloads: []results.Workload{
			{Name: "absent", Absent: 0.5, Rows: []results.Row{
				{
					Policy: "none", Lookup: "Get", Operations: 40_000, Timing: slow,
					Reads:      results.Reads{Total: iocount.Count{Reads: 445_952}},
					Unfiltered: results.Reads{Data: iocount.Count{Reads: 445_952}},
				},
				{
					Policy: "pebble-bloom:10", Lookup: "Reader", Operations: 40_000, Timing: timing,
					Reads:      results.Reads{Total: iocount.Count{Reads: 1392}},
					Unfiltered: results.Reads{Data: iocount.Count{Reads: 80_000}}, SkippedReads: 78_640,
					Probes: results.Probes{Counts: probes.Counts{TrueNegatives: 1}, FPR: rate(0.00866)},
				},
				{
					Policy: plan, Lookup: "batch", Operations: 40_000, Timing: timing,
					Reads:      results.Reads{Total: iocount.Count{Reads: 1}},
					Unfiltered: results.Reads{Data: iocount.Count{Reads: 80_000}}, SkippedReads: 80_000,
					Probes: results.Probes{Counts: probes.Counts{TrueNegatives: 1}, FPR: rate(0.00012)},
				},
			}},
			{Name: "A", Rows: []results.Row{{Policy: "none", Lookup: "Get", Operations: 40_000}}},
			{Name: "B"},
		},
		CacheSweep: []results.SweepRow{
			{Workload: "absent", Policy: "none", Lookup: "Reader", CacheSize: 1 << 20, Operations: 1000, Reads: reads(3100)},
			{Workload: "absent", Policy: "pebble-bloom:10", Lookup: "Reader", CacheSize: 1 << 20, Operations: 1000, Reads: reads(41)},
			{Workload: "absent", Policy: plan, Lookup: "Reader", CacheSize: 1 << 20, Operations: 1000, Reads: reads(35)},
			{Workload: "absent", Policy: "none", Lookup: "Reader", CacheSize: 2 << 20, Operations: 1000, Reads: reads(2000)},
		},
	}
}

func TestText(t *testing.T) {
	r := example()
	var out bytes.Buffer
	print(t, &tables{w: &out}, r)
	equalsGolden(t, "run.txt", out.String())
}

func print(t *testing.T, p Printer, r *results.Run) {
	t.Helper()
	p.Header(r)
	p.Stores(r)
	for _, w := range r.Workloads {
		p.Workload(r, w)
	}
	p.Sweep(r)
	require.NoError(t, p.Close(r))
}

func equalsGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestFormats(t *testing.T) {
	for format, golden := range map[string]string{"markdown": "run.md", "csv": "run.csv", "json": "run.json"} {
		require.NoError(t, CheckFormat(format))
		var out bytes.Buffer
		print(t, NewPrinter(format, &out), example())
		equalsGolden(t, golden, out.String())
	}
	require.ErrorContains(t, CheckFormat("html"), "markdown")
}

// Colours change nothing but colours.
func TestColours(t *testing.T) {
	var plain, coloured bytes.Buffer
	print(t, &tables{w: &plain}, example())
	print(t, &tables{w: &coloured, colours: true}, example())
	require.Contains(t, coloured.String(), "\x1b[")
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	require.Equal(t, plain.String(), escapes.ReplaceAllString(coloured.String(), ""))
	require.NotContains(t, plain.String(), "\x1b")
}

func TestStoresOfDifferentShapes(t *testing.T) {
	r := example()
	r.Stores[1].Levels = r.Stores[1].Levels[1:]
	var out bytes.Buffer
	r.Stores = r.Stores[:2]
	(&tables{w: &out}).Stores(r)
	require.Contains(t, out.String(), "none: keys: L0 2k, L6 160k, in 11 tables\n")
	require.Contains(t, out.String(), "pebble-bloom:10: keys: L6 160k, in 10 tables\n")
	out.Reset()
	(&tables{w: &out}).Stores(&results.Run{})
	require.Empty(t, out.String())
}

func TestSources(t *testing.T) {
	r := example()
	for _, source := range []string{results.Both, results.Device} {
		r.Workloads[0].Rows[1].Timing.Source = source
		require.Contains(t, title(r, r.Workloads[0]), "served by the "+source)
	}
}

func TestProgressNeedsATerminal(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	p.Start("loading", 10)
	p.Add(10)
	p.Close()
	require.Empty(t, out.String())
}
