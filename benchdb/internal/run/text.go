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
		s.CacheSize.Human(), report.Plural(s.Threads, "thread"), s.Seed, r.Environment)
}

// Stores prints the levels of the stores, once if they are the same, and their
// filters.
func (p Printer) Stores(r Measured) {
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
		}
		if f.Build.Keys > 0 {
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
func (p Printer) Workload(w Workload) {
	if len(w.Rows) == 0 {
		return
	}
	p.title(title(w))
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
	for _, row := range w.Rows {
		if row.Lookup == string(Resident) {
			fmt.Fprintf(p.w, "%s, resident: %s of filters in memory\n", row.Policy, report.Size(row.ResidentBytes).Human())
		}
	}
}

// sweepColumns is how many points of a sweep fit beside each other.
const sweepColumns = 8

// Sweeps prints a table for each workload: reads by policy and cache size, and
// what lookups read and take by the memory for filters.
func (p Printer) Sweeps(r *Result) {
	for _, w := range r.Workloads {
		p.sweep(name(w)+": reads/op by block cache, through Reader", ofWorkload(r.CacheSweep, w),
			func(row SweepRow) string { return report.Size(row.CacheSize).String() },
			func(row SweepRow) string { return fmt.Sprintf("%.4f", row.ReadsPerOp()) })
		memory := ofWorkload(r.MemorySweep, w)
		p.sweep(name(w)+": KiB/op by memory, in multiples of the filters", memory, ratio,
			func(row SweepRow) string { return report.Decimals(row.KiBPerOp(), 3) })
		p.sweep(name(w)+": time/op in µs by memory, in multiples of the filters", memory, ratio,
			func(row SweepRow) string { return report.Decimals(row.microseconds(), 2) })
	}
}

func ofWorkload(rows []SweepRow, w Workload) []SweepRow {
	return slices.DeleteFunc(slices.Clone(rows), func(row SweepRow) bool { return row.Workload != w.Name })
}

// ratio writes a power of two.
func ratio(row SweepRow) string {
	if row.Ratio < 1 {
		return fmt.Sprintf("1/%.0f", 1/row.Ratio)
	}
	return fmt.Sprintf("%.0f", row.Ratio)
}

// sweep prints rows, point after point, with a line for each policy and lookup
// and a column for each point.
func (p Printer) sweep(title string, rows []SweepRow, point, figure func(SweepRow) string) {
	if len(rows) == 0 {
		return
	}
	p.title(title)
	lines := slices.IndexFunc(rows, func(row SweepRow) bool { return point(row) != point(rows[0]) })
	if lines < 0 {
		lines = len(rows)
	}
	names, columns := []any{"policy", "lookup"}, sweepColumns-2
	if !slices.ContainsFunc(rows, func(row SweepRow) bool { return row.Lookup != rows[0].Lookup }) {
		names, columns = names[:1], sweepColumns // the title has the lookup
	}
	for rows := range slices.Chunk(rows, columns*lines) {
		header := slices.Clone(names)
		cells := make([]report.Row, lines)
		for i, row := range rows {
			if i%lines == 0 {
				header = append(header, point(row))
			}
			if i < lines {
				cells[i] = report.Row{row.Policy, row.Lookup}[:len(names)]
			}
			cells[i%lines] = append(cells[i%lines], figure(row))
		}
		t := report.NewNamedTable(len(names), header...)
		t.AppendRows(cells)
		t.Print(p.w)
	}
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
resident  through Reader with filters in memory, beside the block cache
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
	if _, err := ycsb.Parse(w.Name); err != nil {
		return w.Name
	}
	return "YCSB " + w.Name
}

func title(w Workload) string {
	sources := map[string]bool{}
	for _, row := range w.Rows {
		if row.Timing != nil {
			sources[row.Timing.Source] = true
		}
	}
	for _, source := range []string{Both, Device, PageCache} {
		if sources[source] {
			return fmt.Sprintf("%s: %s operations, reads served by the %s",
				name(w), humanize.Comma(int64(w.Rows[0].Operations)), source)
		}
	}
	return name(w) + ": counted, not timed"
}

func readsPerOp(row Row) string { return fmt.Sprintf("%.4f", row.ReadsPerOp()) }

func kibPerOp(row Row) string { return report.Decimals(row.KiBPerOp(), 3) }

// skipped is empty where no filter was asked.
func skipped(r Row) string {
	if r.Queries.Number() == 0 || r.Unfiltered.Data.Reads == 0 {
		return "-"
	}
	return percent(float64(r.SkippedReads) / float64(r.Unfiltered.Data.Reads))
}

func percent(share float64) string { return report.Decimals(100*share, 3) + "%" }

// latency writes microseconds in at most four places: 9000, and 12k for 12 ms.
func latency(ns int64) string {
	if µs := float64(ns) / 1000; µs < 9999.5 {
		return report.Decimals(µs, 2)
	}
	return fmt.Sprintf("%.0fk", float64(ns)/1e6)
}

// Figures are the cells of a row on a page: policy, lookup, reads and KiB of an
// operation, skipped reads, false-positive rate, median and 99th percentile.
func (r Row) Figures() []string {
	cells := []string{r.Policy, r.Lookup, report.Figure(r.ReadsPerOp()), report.Figure(r.KiBPerOp()), skipped(r), "–", "–", "–"}
	if r.Queries.FPR != nil {
		cells[5] = percent(*r.Queries.FPR)
	}
	if r.Timing != nil {
		cells[6], cells[7] = microseconds(r.Timing.Latency.P50), microseconds(r.Timing.Latency.P99)
	}
	return cells
}
