package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// PrintHeader prints what is measured.
func (r *Result) PrintHeader(w io.Writer) {
	s := r.Settings
	fmt.Fprintf(w, "%s records of %s bytes, block cache %s, %s, seed %d\n%v\n",
		humanize.Comma(int64(s.Records)), humanize.Comma(int64(s.ValueSize)),
		s.CacheSize.Human(), s.threads(), s.Seed, r.Environment)
}

// threads says how many there are.
func (s Settings) threads() string {
	if len(s.Threads) == 1 {
		return report.Plural(int(s.Threads[0]), "thread")
	}
	return s.Threads.String() + " threads"
}

// PrintStores prints the levels of the stores, once if they are the same, and
// their filters.
func (m Measured) PrintStores(w io.Writer) {
	same := !slices.ContainsFunc(m.Stores, func(s store.Description) bool { return shape(s) != shape(m.Stores[0]) })
	for i, s := range m.Stores {
		switch {
		case !same:
			fmt.Fprintf(w, "%s: %s\n", s.Policy, shape(s))
		case i == 0:
			fmt.Fprintln(w, shape(s))
		}
	}
	m.filters().Print(w)
}

// shape describes a store's levels in a line.
func shape(s store.Description) string {
	levels := make([]string, len(s.Levels))
	tables := 0
	for i, l := range s.Levels {
		levels[i] = fmt.Sprintf("L%d %s", l.Level, report.Compact(float64(l.Keys)))
		tables += l.Tables
	}
	return fmt.Sprintf("keys: %s, in %s", strings.Join(levels, ", "), report.Plural(tables, "table"))
}

// filters has the size of the stores' filters and the cost of building them.
func (m Measured) filters() report.Table {
	t := report.NewTable("Filters of the stores", 1, "filters", "memory", "bits\n/key", "largest\nblock", "build\nns/key", "load\ns")
	for _, s := range m.Stores {
		f := s.Filters
		bits, build := "-", "-"
		if f.Bytes > 0 {
			bits = fmt.Sprintf("%.2f", f.BitsPerKey)
		}
		if f.Build.Keys > 0 {
			build = fmt.Sprintf("%.0f", f.Build.PerKey())
		}
		t.Add(s.Policy, report.Size(f.Bytes).Short(), bits, report.Size(f.LargestBlock).Short(), build, fmt.Sprintf("%.1f", s.LoadSeconds))
	}
	return t
}

// Table has the outcome of a workload.
func (w Workload) Table() report.Table {
	t := report.NewTable(w.caption(), 2, "policy", "lookup", "reads\n/op", "KiB\n/op", "skips\n%", "FPR\n%", "ops\n/s", "±\n%", "p50\nµs", "p99\nµs")
	for _, row := range w.Rows {
		fpr, rate, spread, p50, p99 := "-", "-", "-", "-", "-"
		if f := row.Queries.FPR; f != nil {
			fpr = report.Decimals(100**f, 3)
		}
		if t := row.Timing; t != nil {
			rate, spread = report.Compact(t.OperationsPerS), report.SpreadText(report.Spread(t.RoundNS))
			p50, p99 = latency(t.Latency.P50), latency(t.Latency.P99)
		}
		t.Add(row.Policy, string(row.Lookup), readsPerOp(row.Cost), report.Decimals(row.KiBPerOp(), 3), row.skips(), fpr, rate, spread, p50, p99)
	}
	return t
}

// Print prints the outcome, and the memory of resident filters.
func (w Workload) Print(out io.Writer) {
	w.Table().Print(out)
	for _, row := range w.Rows {
		if row.Lookup == Resident {
			fmt.Fprintf(out, "%s, resident: %s of filters in memory\n", row.Policy, report.Size(row.ResidentBytes).Human())
		}
	}
}

// Legend explains the tables.
var Legend = report.Facts("",
	[2]any{"reads", "of .sst files, below the block cache; KiB is what they return"},
	[2]any{"skips", "data-block reads that filters saved, of those without filters"},
	[2]any{"FPR", "queries that pass, of those for keys that are not in the table"},
	[2]any{"±", "95 % confidence interval of the median time, over the rounds"},
	[2]any{"resident", "through Reader with filters in memory, beside the block cache"})

// name is the workload's for people, with its threads if they are several.
func (w Workload) name() string {
	if w.Threads > 1 {
		return fmt.Sprintf("%s, %d threads", w.mix(), w.Threads)
	}
	return w.mix()
}

func (w Workload) mix() string {
	if w.Name == ycsb.AbsentName && w.Absent < 1 {
		return fmt.Sprintf("%.4g %% absent keys", 100*w.Absent)
	}
	switch known, err := ycsb.Parse(w.Name); {
	case err != nil:
		return w.Name
	case known.Title != "":
		return known.Title
	}
	return "YCSB " + w.Name
}

func (w Workload) caption() string {
	if source := w.source(); source != "" {
		return fmt.Sprintf("%s: %s operations, reads served by the %s", w.name(), humanize.Comma(int64(w.Rows[0].Operations)), source)
	}
	return w.name() + ": counted, not timed"
}

// source is what served the reads while operations were timed, empty if none
// were.
func (w Workload) source() (source string) {
	for _, row := range w.Rows {
		if row.Timing != nil && (source == "" || row.Timing.Source == Both) {
			source = row.Timing.Source
		}
	}
	return source
}

func readsPerOp(c Cost) string { return fmt.Sprintf("%.4f", c.ReadsPerOp()) }

// skips is the share of data-block reads that filters saved, if any was asked.
// Queries are those of table filters; index filters tell of none.
func (r Row) skips() string {
	asked := r.Queries.Number() > 0 || r.SkippedReads > 0 && r.Lookup != Get
	if !asked || r.Unfiltered.Data.Reads == 0 {
		return "-"
	}
	return report.Decimals(100*float64(r.SkippedReads)/float64(r.Unfiltered.Data.Reads), 3)
}

// latency writes microseconds in at most four places: 9000, and 12k for 12 ms.
func latency(ns int64) string {
	if µs := float64(ns) / 1000; µs < 9999.5 {
		return report.Decimals(µs, 2)
	}
	return fmt.Sprintf("%.0fk", float64(ns)/1e6)
}

// Sweeps has, for each workload, reads by policy and cache size, and what lookups
// read and take by the memory for filters.
func (r *Result) Sweeps() (tables []report.Table) {
	for _, w := range r.swept() {
		memory := ofWorkload(r.MemorySweep, w)
		tables = slices.Concat(tables,
			sweep(w.name()+": reads/op by block cache, through Reader", ofWorkload(r.CacheSweep, w), cacheSize, SweepRow.readsPerOp),
			sweep(w.name()+": KiB/op by memory, in multiples of the filters", memory, SweepRow.ratio,
				func(row SweepRow) string { return report.Decimals(row.KiBPerOp(), 3) }),
			sweep(w.name()+": time/op in µs by memory, in multiples of the filters", memory, SweepRow.ratio,
				func(row SweepRow) string { return report.Decimals(row.microseconds(), 2) }))
	}
	return tables
}

// swept are the workloads, once if they ran with several numbers of threads.
func (r *Result) swept() []Workload {
	return slices.DeleteFunc(slices.Clone(r.Workloads), func(w Workload) bool { return w.Threads != r.Workloads[0].Threads })
}

func ofWorkload(rows []SweepRow, w Workload) []SweepRow {
	return slices.DeleteFunc(slices.Clone(rows), func(row SweepRow) bool { return row.Workload != w.Name })
}

func cacheSize(r SweepRow) string { return report.Size(r.CacheSize).String() }

func (r SweepRow) readsPerOp() string { return readsPerOp(r.Cost) }

// ratio writes a power of two.
func (r SweepRow) ratio() string {
	if r.Ratio < 1 {
		return fmt.Sprintf("1/%.0f", 1/r.Ratio)
	}
	return fmt.Sprintf("%.0f", r.Ratio)
}

// sweepColumns is how many points of a sweep fit beside each other.
const sweepColumns = 6

// sweep arranges rows, which come point after point, with a line for each policy
// and lookup and a column for each point.
func sweep(caption string, rows []SweepRow, point, figure func(SweepRow) string) (tables []report.Table) {
	lines := slices.IndexFunc(rows, func(row SweepRow) bool { return point(row) != point(rows[0]) })
	if lines < 0 {
		lines = len(rows)
	}
	for rows := range slices.Chunk(rows, max(sweepColumns*lines, 1)) {
		t := report.NewTable(caption, 2, "policy", "lookup")
		for i, row := range rows {
			if i%lines == 0 {
				t.Header = append(t.Header, point(row))
			}
			if i < lines {
				t.Add(row.Policy, string(row.Lookup))
			}
			t.Rows[i%lines] = append(t.Rows[i%lines], figure(row))
		}
		tables = append(tables, t)
	}
	return tables
}
