package run

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Printer prints results for people as they come.
type Printer struct {
	w       io.Writer
	colours bool
}

// NewPrinter returns a Printer that writes to w.
func NewPrinter(w io.Writer) Printer { return Printer{w, report.Coloured(w)} }

// Header prints what is measured.
func (p Printer) Header(r *Result) {
	s := r.Settings
	fmt.Fprintf(p.w, "%s records of %s bytes, block cache %s, %s, seed %d\n%v\n",
		humanize.Comma(int64(s.Records)), humanize.Comma(int64(s.ValueSize)),
		report.Size(s.CacheSize).Human(), report.Plural(s.Threads, "thread"), s.Seed, r.Environment)
}

// Stores prints the levels of the stores, once if they are the same, and their
// filters.
func (p Printer) Stores(r *Result) {
	if len(r.Stores) == 0 {
		return
	}
	shapes := map[string]bool{}
	for _, s := range r.Stores {
		shapes[shape(s)] = true
	}
	for _, s := range r.Stores {
		if len(shapes) == 1 {
			fmt.Fprintln(p.w, shape(s))
			break
		}
		fmt.Fprintf(p.w, "%s: %s\n", s.Policy, shape(s))
	}
	fmt.Fprintln(p.w)

	t := report.NewTable("filters", "memory", "bits/key", "largest block", "build ns/key", "load s")
	for _, s := range r.Stores {
		f := s.Filters
		row := report.Row{s.Policy, report.Size(f.Bytes).Short(), "-", report.Size(f.LargestBlock).Short(), "-", fmt.Sprintf("%.1f", s.LoadSeconds)}
		if f.Bytes > 0 {
			row[2] = fmt.Sprintf("%.2f", f.BitsPerKey)
			row[4] = fmt.Sprintf("%.0f", float64(f.Build.Time.Nanoseconds())/float64(f.Build.Keys))
		}
		t.AppendRow(row)
	}
	t.Print(p.w)
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

// Workload prints the outcome of one workload.
func (p Printer) Workload(r *Result, w Workload) {
	if len(w.Rows) == 0 {
		return
	}
	p.title(title(r, w))
	t := report.NewNamedTable(2, "policy", "lookup", "reads/op", "KiB/op", "skipped", "FPR", "ops/s", "p50", "p99")
	least := slices.MinFunc(w.Rows, func(a, b Row) int {
		return cmp.Compare(a.Reads.Total.Reads, b.Reads.Total.Reads)
	})
	for _, row := range w.Rows {
		reads := readsPerOp(row)
		if p.colours && reads == readsPerOp(least) {
			reads = text.FgGreen.Sprint(reads)
		}
		cells := report.Row{row.Policy, row.Lookup, reads, kibPerOp(row), skipped(row), "-", "-", "-", "-"}
		if f := row.Queries.FPR; f != nil {
			cells[5] = percent(*f)
		}
		if t := row.Timing; t != nil {
			cells[6] = report.Compact(t.OperationsPerS)
			cells[7], cells[8] = latency(t.Latency.P50), latency(t.Latency.P99)
		}
		t.AppendRow(cells)
	}
	t.Print(p.w)
}

// sweepColumns is how many sizes of a cache fit beside each other.
const sweepColumns = 8

// Sweep prints a table for each workload: reads by policy and cache size.
func (p Printer) Sweep(r *Result) {
	for _, w := range r.Workloads {
		var rows []SweepRow
		for _, row := range r.CacheSweep {
			if row.Workload == w.Name {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		p.title(name(w) + ": reads/op by block cache, through " + rows[0].Lookup)
		for rows := range slices.Chunk(rows, sweepColumns*len(r.Stores)) {
			sweepTable(r.Stores, rows).Print(p.w)
		}
	}
}

func sweepTable(stores []store.Description, rows []SweepRow) report.TextTable {
	header := []any{"policy"}
	for _, row := range rows {
		if row.Policy == stores[0].Policy {
			header = append(header, report.Size(row.CacheSize).String())
		}
	}
	t := report.NewTable(header...)
	for _, s := range stores {
		cells := report.Row{s.Policy}
		for _, row := range rows {
			if row.Policy == s.Policy {
				cells = append(cells, fmt.Sprintf("%.4f", float64(row.Reads.Total.Reads)/float64(row.Operations)))
			}
		}
		t.AppendRow(cells)
	}
	return t
}

// Legend explains the tables.
func (p Printer) Legend() {
	fmt.Fprint(p.w, `
memory    all filter blocks together
reads/op  reads of .sst files below the block cache, for each operation
KiB/op    what those reads return
skipped   data-block reads that filters saved, of those without filters
FPR       share of filter queries that pass, of those for keys not in the table
p50, p99  latency in microseconds
`)
}

func (p Printer) title(title string) {
	if p.colours {
		title = text.Bold.Sprint(title)
	}
	fmt.Fprintf(p.w, "\n%s\n", title)
}

func name(w Workload) string {
	if w.Name == ycsb.AbsentName {
		return fmt.Sprintf("%.4g %% absent keys", 100*w.Absent)
	}
	return "YCSB " + w.Name
}

func title(r *Result, w Workload) string {
	sources := map[string]bool{}
	for _, row := range w.Rows {
		if row.Timing != nil {
			sources[row.Timing.Source] = true
		}
	}
	for _, source := range []string{Both, Device, PageCache} {
		if sources[source] {
			return fmt.Sprintf("%s: %s operations, reads served by the %s",
				name(w), humanize.Comma(int64(r.Settings.Operations)), source)
		}
	}
	return name(w) + ": counted, not timed"
}

func readsPerOp(row Row) string { return fmt.Sprintf("%.4f", row.ReadsPerOp()) }

func kibPerOp(row Row) string { return report.Decimals(row.BytesPerOp()/1024, 3) }

// skipped is empty where no filter was asked.
func skipped(r Row) string {
	if r.Queries.Number() == 0 || r.Unfiltered.Data.Reads == 0 {
		return "-"
	}
	return percent(float64(r.SkippedReads) / float64(r.Unfiltered.Data.Reads))
}

func percent(share float64) string { return report.Decimals(100*share, 3) + "%" }

// latency writes microseconds in at most four places up to 10 ms.
func latency(ns int64) string { return report.Decimals(float64(ns)/1000, 2) }
