package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// TestAnswer gives forecasts that are less than what was measured, and such that
// a forecast may be wrong about.
func TestAnswer(t *testing.T) {
	measured := func(l run.Lookup, reads int64) run.Row {
		cost := run.Cost{Operations: 100, Reads: diskio.Counts{Total: diskio.Count{Reads: reads}}}
		return run.Row{Policy: policy.AsItIs, Lookup: l, Cost: cost}
	}
	for _, c := range []struct {
		policy   string
		forecast float64
		want     string
	}{
		{policy.Default, 0.12, "With Gravel's default, a lookup would read 0.12 blocks instead of 0.98."},
		{"dense:10", 0.12, "With dense:10, a lookup would read 0.12 blocks instead of 0.98."},
		{policy.Default, 0.9, "With Gravel's default, a lookup would read about as much: 0.9 blocks, now 0.98."},
	} {
		r := &Result{Forecasts: []Forecast{
			{Workload: "all keys", Policy: c.policy, Lookup: run.Get, DiskReads: levelplan.DiskReads{Reads: 1}},
			{Workload: "all keys", Policy: c.policy, Lookup: run.DB, DiskReads: levelplan.DiskReads{Reads: c.forecast}},
			{Workload: "absent keys", Policy: c.policy, Lookup: run.DB},
		}}
		r.Workloads = []run.Outcome{{Name: "all keys", Rows: []run.Row{measured(run.Get, 98), measured(run.DB, 50)}}}
		require.Equal(t, c.want+"\npebbleext.DB reads 0.5 with the filters that are there.", r.answer())
	}
}

// TestForecastWithLittleMemory forecasts lookups of a DB in memories from one that
// has room for a part of the filters on. It reads no more than Get does, and
// less with more memory.
func TestForecastWithLittleMemory(t *testing.T) {
	s := &Survey{Shape: levelplan.Shape{Levels: []levelplan.LevelShape{{Level: 5, Keys: 100_000}, {Level: 6, Keys: 1_000_000, Tables: 10}}}}
	w := ycsb.Workload{Absent: 0.5}
	for _, text := range []string{policy.Default, "dense:10"} {
		p, err := policy.Parse(text)
		require.NoError(t, err)
		less := 10.0
		for memory := int64(512 << 10); memory <= 8<<20; memory *= 2 {
			get, err := s.diskReads(w, p, run.Get, memory)
			require.NoError(t, err)
			db, err := s.diskReads(w, p, run.DB, memory)
			require.NoError(t, err)
			require.LessOrEqual(t, db.Reads, get.Reads, "%s, %d", text, memory)
			require.Less(t, db.Reads, less, "%s, %d", text, memory)
			less = db.Reads
		}
		require.Less(t, less, 0.6)
	}
}
