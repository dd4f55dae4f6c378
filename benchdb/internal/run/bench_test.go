package run

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

func newBench(t *testing.T, policies ...string) *Bench {
	t.Helper()
	return newSplitBench(t, 0, policies...)
}

// newSplitBench is newBench with keys that a comparer splits.
func newSplitBench(t *testing.T, split int, policies ...string) *Bench {
	t.Helper()
	b := &Bench{
		Settings: store.Settings{
			Records: 3000, CacheSize: 64 << 10, ValueSize: 100, Values: ycsb.NewValues(100, 1), Split: split,
		},
		Operations: 300, Warmup: 100, Rounds: 1, Threads: 1, Seed: 1, Memory: 64 << 10,
		Scratch: t.TempDir(), Progress: func(int) {},
	}
	for _, text := range policies {
		p, err := policy.Parse(text)
		require.NoError(t, err)
		st, err := store.Build(t.Context(), filepath.Join(t.TempDir(), "store"), p, b.Settings, func(int) {})
		require.NoError(t, err)
		_, err = st.Describe()
		require.NoError(t, err)
		b.Stores = append(b.Stores, st)
	}
	return b
}

func workload(t *testing.T, name string) ycsb.Workload {
	t.Helper()
	w, err := ycsb.Parse(name)
	require.NoError(t, err)
	return w
}

func TestStepsAreThoseDone(t *testing.T) {
	b := newBench(t, "none", "bloom:10")
	for _, name := range []string{ycsb.AbsentName, "A", "E", "prefix", "range-100", "unique"} {
		done := 0
		b.Progress = func(n int) { done += n }
		w := workload(t, name)
		out, err := b.Run(t.Context(), w)
		require.NoError(t, err)
		require.Equal(t, b.Steps(w), done, name)
		rows := 0
		for _, st := range b.Stores {
			rows += len(b.Lookups(w, st.Policy))
		}
		require.Len(t, out.Rows, rows)
	}
	left, err := os.ReadDir(b.Scratch)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestPrefixScans: prefix filters save the reads of scans, but for one in a
// hundred where no record has the prefix, and one data block otherwise.
func TestPrefixScans(t *testing.T) {
	b := newBench(t, "none", "none;prefix=length:11")
	for name, most := range map[string]float64{"prefix": 1.05, "prefix-absent": 0.05} {
		out, err := b.Run(t.Context(), workload(t, name))
		require.NoError(t, err)
		require.Equal(t, []Lookup{Scan, Scan, DB}, []Lookup{out.Rows[0].Lookup, out.Rows[1].Lookup, out.Rows[2].Lookup})
		for _, row := range out.Rows[:2] {
			require.Greater(t, row.Reads.Data.Reads, int64(row.Operations), name)
		}
		require.Less(t, float64(out.Rows[2].Reads.Data.Reads), most*float64(b.Operations), name)
	}
}

// TestPrefixScansWithSplit: table filters of a comparer with a Split save reads of
// scans, too, and so do filters in memory.
func TestPrefixScansWithSplit(t *testing.T) {
	b := newSplitBench(t, 11, "none", "pebble-bloom:10", "bloom:10;prefix=length:11")
	for name, most := range map[string]float64{"prefix": 1.4, "prefix-absent": 0.15} {
		out, err := b.Run(t.Context(), workload(t, name))
		require.NoError(t, err)
		var lookups []Lookup
		for _, row := range out.Rows {
			lookups = append(lookups, row.Lookup)
			reads := float64(row.Reads.Data.Reads) / float64(b.Operations)
			require.Equal(t, row.Lookup == Scan, reads > most, "%s, %s %s: %f", name, row.Policy, row.Lookup, reads)
			if row.Lookup == L6Filters {
				require.Positive(t, row.Queries.Number(), row.Lookup)
			}
		}
		require.Equal(t, []Lookup{Scan, Scan, L6Filters, Scan, DB}, lookups)
	}
}

// TestBoundedScans: range filters save the reads of empty ranges but for one in
// ten, and all but about one data block of a range with a record. Data blocks of
// this store have 30 keys: 1,500 blocks are asked for 300 ranges, of which 3 % pass.
func TestBoundedScans(t *testing.T) {
	b := newBench(t, "none", "none;range=8")
	for name, most := range map[string]float64{
		"range": 1.2, "range-absent": 0.2,
	} {
		out, err := b.Run(t.Context(), workload(t, name))
		require.NoError(t, err)
		require.Equal(t, []Lookup{Scan, Scan, DB}, []Lookup{out.Rows[0].Lookup, out.Rows[1].Lookup, out.Rows[2].Lookup})
		var reads []float64
		for _, row := range out.Rows {
			reads = append(reads, float64(row.Reads.Data.Reads)/float64(b.Operations))
		}
		t.Log(name, reads)
		require.Equal(t, reads[0], reads[1], name)
		require.Greater(t, reads[1], 1., name)
		require.Less(t, reads[2], most, name)
	}
}

// TestEqualMemory: whoever keeps filters in memory has so much less for blocks.
func TestEqualMemory(t *testing.T) {
	b := newBench(t, "none", "bloom:10", "none;index=8")
	for _, memory := range []int64{64 << 10, 1 << 20} {
		b.Memory = memory
		out, err := b.Run(t.Context(), workload(t, ycsb.AbsentName))
		require.NoError(t, err)
		require.Len(t, out.Rows, 5)
		for _, row := range out.Rows {
			require.LessOrEqual(t, row.CacheBytes+row.ResidentBytes, memory)
			resident := row.Policy == "bloom:10" && row.Lookup == DB
			require.Equal(t, resident, row.ResidentBytes > 0, "%s %s", row.Policy, row.Lookup)
			require.Equal(t, resident, row.CacheBytes < memory, "%s %s", row.Policy, row.Lookup)
			require.GreaterOrEqual(t, row.CacheBytes, memory/2)
		}
	}
}

// TestSessionsHandTheirFiltersOn: a session begins with the resident filters that
// the one before it had.
func TestSessionsHandTheirFiltersOn(t *testing.T) {
	b := newBench(t, "bloom:10")
	b.Operations, b.Warmup = 8000, 2000 // enough to try the filters
	w := workload(t, ycsb.AbsentName)
	cs := []contender{{store: b.Stores[0], lookup: DB}}
	remove, err := b.keepFilters(cs, w)
	require.NoError(t, err)
	first, err := b.open(t.Context(), cs[0], w, store.View{FS: b.fs()})
	require.NoError(t, err)
	filters := first.filters().Stats().Filters
	require.Positive(t, filters)
	require.NoError(t, first.close())
	second, err := b.open(t.Context(), cs[0], w, store.View{FS: b.fs()})
	require.NoError(t, err)
	require.GreaterOrEqual(t, int(second.filters().Stats().Restored), filters)
	require.NoError(t, second.close())
	require.NoError(t, remove())
	left, err := os.ReadDir(b.Scratch)
	require.NoError(t, err)
	require.Empty(t, left)

	cs[0].saved = ""
	_, err = b.keepFilters(cs, workload(t, "A"))
	require.NoError(t, err)
	require.Empty(t, cs[0].saved, "what is written has filters of its own")
}

// A thread's share of reads differs, not what the threads read in all.
func TestThreadsShareTheOperations(t *testing.T) {
	b := newBench(t, "bloom:10")
	b.Threads = 4
	b.Operations = 301
	out, err := b.Run(t.Context(), workload(t, "D"))
	require.NoError(t, err)
	for _, row := range out.Rows {
		require.EqualValues(t, 301, row.Timing.Operations)
		require.Positive(t, row.Queries.Number())
		sum := int64(0)
		for _, kind := range row.Timing.ByKind {
			sum += kind.Operations
		}
		require.EqualValues(t, 301, sum)
	}
}

// Contenders that would need too much memory side by side take no turns, but
// are measured all the same.
func TestLargeCaches(t *testing.T) {
	b := newBench(t, "none", "bloom:10")
	b.Memory = sideBySide
	out, err := b.Run(t.Context(), workload(t, ycsb.AbsentName))
	require.NoError(t, err)
	for _, row := range out.Rows {
		require.EqualValues(t, b.Operations, row.Timing.Operations)
	}
}

func TestAnInterruptedRunKeepsItsRows(t *testing.T) {
	b := newBench(t, "none", "bloom:10")
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	b.Progress = func(n int) {
		if steps += n; steps > b.Operations {
			cancel()
		}
	}
	out, err := b.Run(ctx, workload(t, ycsb.AbsentName))
	require.ErrorIs(t, err, context.Canceled)
	require.NotEmpty(t, out.Rows)
	require.Nil(t, out.Rows[0].Timing)
}

// Values of other records must not pass for a record's own.
func TestWrongAnswersAreErrors(t *testing.T) {
	b := newBench(t, "none")
	b.Values = ycsb.NewValues(100, 2)
	for _, name := range []string{"C", "A"} {
		_, err := b.Run(t.Context(), workload(t, name))
		require.ErrorContains(t, err, "another value", name)
	}
	b = newBench(t, "none")
	b.Records *= 2 // half of them were never written
	_, err := b.Run(t.Context(), workload(t, "C"))
	require.ErrorContains(t, err, "not found")
}

func TestSource(t *testing.T) {
	for _, c := range []struct {
		direct bool
		device int64
		want   string
	}{
		{false, 0, PageCache},
		{false, 1000, PageCache},
		{false, 1001, Both},
		{true, 0, Device},
	} {
		require.Equal(t, c.want, servedBy(c.direct, &c.device, 100_000))
	}
}
