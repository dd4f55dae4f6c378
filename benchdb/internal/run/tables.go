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

// Table has the outcome of a workload. A terminal has room for the reads of the
// worst of several rounds in place of the throughput.
func (o Outcome) Table() report.Table {
	throughput, rounds := "ops\n/s", slices.ContainsFunc(o.Rows, func(r Row) bool { return len(r.RoundReads) > 1 })
	if rounds {
		throughput = "worst\nround"
	}
	t := report.NewTable(o.caption(), 2, "policy", "by", "reads\n/op", "KiB\n/op", "FPR\n%", "filter\nmemory",
		throughput, "±\n%", "p50\nµs", "p99\nµs", "p99.9\nµs")
	for _, row := range o.Rows {
		cells := row.cells()
		if rounds {
			cells[6] = report.Decimals(slices.Max(row.RoundReads), 3)
		}
		t.Add(cells...)
	}
	return t
}

func (r Row) cells() []string {
	fpr, rate, spread, p50, p99, p999 := "-", "-", "-", "-", "-", "-"
	if f := r.Queries.FPR; f != nil {
		fpr = report.Decimals(100**f, 3)
	}
	if t := r.Timing; t != nil {
		rate, spread = report.Compact(t.OperationsPerS), report.SpreadText(report.Spread(t.TurnNS))
		p50, p99, p999 = latency(t.Latency.P50), latency(t.Latency.P99), latency(t.Latency.P999)
	}
	return []string{r.Policy, string(r.Lookup), report.Decimals(r.ReadsPerOp(), 3), report.Decimals(r.KiBPerOp(), 2), fpr,
		report.Size(r.ResidentBytes).Shorter(), rate, spread, p50, p99, p999}
}

// Median is the median time of an operation in microseconds, - if none was timed.
func (r Row) Median() string {
	if r.Timing == nil {
		return "-"
	}
	return latency(r.Timing.Latency.P50)
}

// Legend explains the tables.
var Legend = report.Facts("",
	[2]any{"reads", "of .sst files, below the block cache; KiB is what they return"},
	[2]any{"worst", "reads of the round with the most; reads are the mean of all rounds"},
	[2]any{"FPR", "queries that pass, of those for keys that are not in the table"},
	[2]any{"±", "95 % confidence interval of the median time, over the turns"},
	[2]any{"p50 …", "a share of the times, from an operation's arrival if there is a --rate"},
	[2]any{"L6", "a pebble.Iterator with UseL6Filters"},
	[2]any{"DB", "a pebbleext.DB; its filters in memory take from the block cache"})

// name is the workload's for people, with its threads if they are several.
func (o Outcome) name() string {
	if o.Threads > 1 {
		return fmt.Sprintf("%s, %d threads", o.mix(), o.Threads)
	}
	return o.mix()
}

func (o Outcome) mix() string {
	if o.Name == ycsb.AbsentName && o.Absent < 1 {
		return fmt.Sprintf("%.4g %% absent keys", 100*o.Absent)
	}
	switch known, err := ycsb.Parse(o.Name); {
	case err != nil:
		return o.Name
	case known.Title != "":
		return known.Title
	}
	return "YCSB " + o.Name
}

func (o Outcome) caption() string {
	name := o.name()
	if o.Memory > 0 {
		name += ", " + o.Memory.String()
	}
	if source := o.source(); source != "" {
		return fmt.Sprintf("%s: %s operations, reads served by the %s", name, humanize.Comma(int64(o.Rows[0].Operations)), source)
	}
	return name + ": counted, not timed"
}

// source is what served the reads while operations were timed, empty if none
// were.
func (o Outcome) source() (source string) {
	for _, row := range o.Rows {
		if row.Timing != nil && (source == "" || row.Timing.Source == Both) {
			source = row.Timing.Source
		}
	}
	return source
}

// latency writes microseconds in at most four places: 9000, and 12k for 12 ms.
func latency(ns int64) string {
	if µs := float64(ns) / 1000; µs < 9999.5 {
		return report.Decimals(µs, 2)
	}
	return fmt.Sprintf("%.0fk", float64(ns)/1e6)
}
