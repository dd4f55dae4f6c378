package run

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

func rate(f float64) *float64 { return &f }

func example() *Result {
	const plan = "L0-L5=bloom:14,layout=flat;L6=bloom:7.5"
	levels := []store.Level{{Level: 0, Tables: 1, Keys: 2000}, {Level: 6, Tables: 10, Keys: 160_000}}
	timing := &Timing{
		TurnNS:         []float64{890, 900, 905, 906, 907, 907, 908, 910, 930, 1200},
		OperationsPerS: 1_060_000, Source: PageCache,
		Latency: Latency{P50: 906, P99: 12_345, P999: 2 * 12_345},
	}
	slow := &Timing{
		OperationsPerS: 870, Source: PageCache,
		Latency: Latency{P50: 1_149_000, P99: 9_000_000, P999: 2 * 9_000_000},
	}
	return &Result{
		Head: report.Head{Environment: report.Environment{
			Go: "go1.26.0", Pebble: "v2.1.7", OS: "linux", Arch: "amd64", CPU: "A Processor", Cores: 2,
		}},
		Settings: Settings{Records: 200_000, ValueSize: 1000, Memory: report.Sizes{4 << 20, 16 << 20}, Policies: []string{"none", "pebble-bloom:10", plan}, Workloads: []string{"absent"}, Operations: 40_000, Threads: report.Numbers{1}, Seed: 1},
		Measured: Measured{
			Stores: []store.Description{
				{Policy: "none", Levels: levels, LoadSeconds: 0.71},
				{Policy: "pebble-bloom:10", Levels: levels, LoadSeconds: 0.9, Filters: store.Filters{
					Bytes: 245 << 10, LargestBlock: 20_613, BitsPerKey: 10.04,
					Build: store.BuildCost{Blocks: 11, Keys: 200_000, Time: 5 * time.Millisecond},
				}},
				{Policy: plan, Levels: levels, LoadSeconds: 1.2, Filters: store.Filters{
					Bytes: 3 << 20, LargestBlock: 1 << 20, BitsPerKey: 8.8,
					Build: store.BuildCost{Blocks: 11, Keys: 200_000, Time: 6 * time.Millisecond},
				}},
			},
			Workloads: []Outcome{
				{Name: "absent", Absent: 0.5, Memory: 4 << 20, Threads: 1, Rows: []Row{
					{
						Policy: "none", Lookup: "Get", Timing: slow,
						Cost: Cost{40_000, diskio.Counts{Total: diskio.Count{Reads: 445_952, Bytes: 1_900_000_000}}},
					},
					{
						Policy: "pebble-bloom:10", Lookup: "L6", Timing: timing,
						Cost:    Cost{40_000, diskio.Counts{Total: diskio.Count{Reads: 1392, Bytes: 5_711_872}}},
						Queries: Queries{Answers: store.Answers{TrueNegatives: 1}, FPR: rate(0.00866)},
					},
					{
						Policy: plan, Lookup: "DB", Timing: timing, ResidentBytes: 1 << 20,
						Cost:    Cost{40_000, diskio.Counts{Total: diskio.Count{Reads: 1}}},
						Queries: Queries{Answers: store.Answers{TrueNegatives: 1}, FPR: rate(0.00012)},
					},
				}},
				{Name: "A", Rows: []Row{{Policy: "none", Lookup: "Get", Cost: Cost{Operations: 40_000}}}},
				{Name: "B"},
			},
		},
	}
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	r := example()
	answer := NewAnswer(&out, r.Settings)
	for _, w := range r.Workloads {
		answer.Print(w)
	}
	answer.Close()
	r.PrintStores(&out)
	for _, w := range r.Workloads {
		w.Table().Print(&out)
	}
	Legend.Print(&out)
	equalsGolden(t, "run.txt", out.String())
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

func TestStoresOfDifferentShapes(t *testing.T) {
	r := example()
	r.Stores[1].Levels = r.Stores[1].Levels[1:]
	var out bytes.Buffer
	r.Stores = r.Stores[:2]
	r.PrintStores(&out)
	require.Contains(t, out.String(), "none: keys: L0 2k, L6 160k, in 11 tables\n")
	require.Contains(t, out.String(), "pebble-bloom:10: keys: L6 160k, in 10 tables\n")
	out.Reset()
	Measured{}.PrintStores(&out)
	require.Empty(t, out.String())
}

func TestSources(t *testing.T) {
	r := example()
	for _, source := range []string{Both, Device} {
		for i := range r.Workloads[0].Rows {
			r.Workloads[0].Rows[i].Timing.Source = source
		}
		require.Contains(t, r.Workloads[0].caption(), "served by the "+source)
	}
}

func TestLatencyIsNarrow(t *testing.T) {
	for ns, want := range map[int64]string{910: "0.91", 1_149_000: "1149", 9_999_400: "9999", 9_999_500: "10k", 12_345_678: "12k", 2_500_000_000: "2500k"} {
		require.Equal(t, want, latency(ns))
	}
}
