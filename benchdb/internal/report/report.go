// Package report prints results for people.
package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gravelkv/gravel/benchdb/internal/bytesize"
	"github.com/gravelkv/gravel/benchdb/internal/results"
	"github.com/gravelkv/gravel/benchdb/internal/table"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// tables prints for people, to a terminal or in Markdown.
type tables struct {
	w                 io.Writer
	markdown, colours bool
}

// Header implements Printer.
func (p *tables) Header(r *results.Run) {
	s := r.Settings
	p.line(fmt.Sprintf("%s records of %s bytes, block cache %s, %s, seed %d",
		humanize.Comma(int64(s.Records)), humanize.Comma(int64(s.ValueSize)),
		bytesize.Size(s.CacheSize).Human(), plural(s.Threads, "thread"), s.Seed))
	p.line(fmt.Sprintf("Pebble %s, %s, %s (%s), %s/%s", r.Environment.Pebble, r.Environment.Go,
		r.Environment.CPU, plural(r.Environment.Cores, "core"), r.Environment.OS, r.Environment.Arch))
}

// Stores prints the levels of the stores, once if they are the same, and their
// filters.
func (p *tables) Stores(r *results.Run) {
	if len(r.Stores) == 0 {
		return
	}
	shapes := map[string]bool{}
	for _, s := range r.Stores {
		shapes[shape(s)] = true
	}
	for _, s := range r.Stores {
		if len(shapes) == 1 {
			p.line(shape(s))
			break
		}
		p.line(s.Policy + ": " + shape(s))
	}
	fmt.Fprintln(p.w)

	t := table.New("filters", "memory", "bits/key", "largest block", "build ns/key", "load s")
	for _, s := range r.Stores {
		f := s.Filters
		row := table.Row{s.Policy, size(f.Bytes), "-", size(f.LargestBlock), "-", fmt.Sprintf("%.1f", s.LoadSeconds)}
		if f.Bytes > 0 {
			row[2] = fmt.Sprintf("%.2f", f.BitsPerKey)
			row[4] = fmt.Sprintf("%.0f", float64(f.Build.Time.Nanoseconds())/float64(f.Build.Keys))
		}
		t.AppendRow(row)
	}
	p.render(t)
}

// shape describes a store's levels in a line.
func shape(s results.Store) string {
	levels := make([]string, len(s.Levels))
	tables := 0
	for i, l := range s.Levels {
		levels[i] = fmt.Sprintf("L%d %s", l.Level, compact(float64(l.Keys)))
		tables += l.Tables
	}
	return fmt.Sprintf("keys: %s, in %s", strings.Join(levels, ", "), plural(tables, "table"))
}

// Workload implements Printer.
func (p *tables) Workload(r *results.Run, workload results.Workload) {
	if len(workload.Rows) == 0 {
		return
	}
	memory := map[string]int64{}
	for _, s := range r.Stores {
		memory[s.Policy] = s.Filters.Bytes
	}
	p.title(title(r, workload))
	t := table.NewNamed(2, "policy", "lookup", "memory", "reads/op", "skipped", "FPR", "ops/s", "p50", "p99")
	least := fewestReads(workload.Rows)
	for _, row := range workload.Rows {
		reads := perOperation(row.Reads, row.Operations)
		if p.colours && reads == least {
			reads = text.FgGreen.Sprint(reads)
		}
		t.AppendRow(table.Row{
			row.Policy, row.Lookup, size(memory[row.Policy]), reads, skipped(row),
			percent(row.Probes.FPR), speed(row.Timing),
			latency(row.Timing, func(l results.Latency) int64 { return l.P50 }),
			latency(row.Timing, func(l results.Latency) int64 { return l.P99 }),
		})
	}
	p.render(t)
}

// fewestReads returns the least reads per operation, as it is printed.
func fewestReads(rows []results.Row) string {
	least := slices.MinFunc(rows, func(a, b results.Row) int {
		return cmp.Compare(a.Reads.Total.Reads, b.Reads.Total.Reads)
	})
	return perOperation(least.Reads, least.Operations)
}

// sweepColumns is how many sizes of a cache fit beside each other.
const sweepColumns = 8

// Sweep prints a table for each workload: reads by policy and cache size.
func (p *tables) Sweep(r *results.Run) {
	for _, w := range r.Workloads {
		var rows []results.SweepRow
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
			p.render(sweepTable(r.Stores, rows))
		}
	}
}

func sweepTable(stores []results.Store, rows []results.SweepRow) table.Writer {
	header := []any{"policy"}
	for _, row := range rows {
		if row.Policy == stores[0].Policy {
			header = append(header, bytesize.Size(row.CacheSize).String())
		}
	}
	t := table.New(header...)
	for _, s := range stores {
		cells := table.Row{s.Policy}
		for _, row := range rows {
			if row.Policy == s.Policy {
				cells = append(cells, perOperation(row.Reads, row.Operations))
			}
		}
		t.AppendRow(cells)
	}
	return t
}

// Close explains the tables if they are complete.
func (p *tables) Close(r *results.Run) error {
	if r.Interrupted {
		return nil
	}
	fmt.Fprintln(p.w)
	for _, l := range legend {
		if p.markdown {
			fmt.Fprintf(p.w, "- **%s**: %s\n", l.term, l.meaning)
		} else {
			fmt.Fprintf(p.w, "%-9s %s\n", l.term, l.meaning)
		}
	}
	return nil
}

var legend = []struct{ term, meaning string }{
	{"reads/op", "reads of .sst files below the block cache"},
	{"skipped", "data-block reads that filters saved, of those without filters"},
	{"FPR", "share of filter probes that pass, of those for keys not in the table"},
	{"memory", "all filter blocks together"},
	{"p50, p99", "latency in microseconds"},
}

func (p *tables) line(line string) {
	if p.markdown {
		line += "  " // ends a line
	}
	fmt.Fprintln(p.w, line)
}

func (p *tables) title(title string) {
	switch {
	case p.markdown:
		title = "### " + title + "\n"
	case p.colours:
		title = text.Bold.Sprint(title)
	}
	fmt.Fprintf(p.w, "\n%s\n", title)
}

func (p *tables) render(t table.Writer) {
	if p.markdown {
		fmt.Fprintln(p.w, t.RenderMarkdown())
	} else {
		fmt.Fprintln(p.w, table.Render(t))
	}
}

func name(w results.Workload) string {
	if w.Name == ycsb.AbsentName {
		return fmt.Sprintf("%.4g %% absent keys", 100*w.Absent)
	}
	return "YCSB " + w.Name
}

func title(r *results.Run, w results.Workload) string {
	sources := map[string]bool{}
	for _, row := range w.Rows {
		if row.Timing != nil {
			sources[row.Timing.Source] = true
		}
	}
	for _, source := range []string{results.Both, results.Device, results.PageCache} {
		if sources[source] {
			return fmt.Sprintf("%s: %s operations, reads served by the %s",
				name(w), humanize.Comma(int64(r.Settings.Operations)), source)
		}
	}
	return name(w) + ": counted, not timed"
}

func size(n int64) string {
	if n == 0 {
		return "-"
	}
	return strings.ReplaceAll(bytesize.Size(n).Human(), " ", "")
}

func perOperation(r results.Reads, operations int) string {
	return fmt.Sprintf("%.4f", float64(r.Total.Reads)/float64(operations))
}

// skipped is empty where no filter was asked.
func skipped(r results.Row) string {
	if r.Probes.Probes() == 0 || r.Unfiltered.Data.Reads == 0 {
		return "-"
	}
	share := float64(r.SkippedReads) / float64(r.Unfiltered.Data.Reads)
	return percent(&share)
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return digits(100**share, 3) + "%"
}

func speed(t *results.Timing) string {
	if t == nil {
		return "-"
	}
	return compact(t.OperationsPerS)
}

// digits writes three digits of a number above 1, and a smaller one with so
// many decimal places.
func digits(v float64, decimals int) string {
	switch size := math.Abs(v); {
	case size >= 100:
		decimals = 0
	case size >= 10:
		decimals = 1
	case size >= 1:
		decimals = 2
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// compact writes three digits: 883k, 1.88M.
func compact(n float64) string {
	value, unit := humanize.ComputeSI(n)
	return fmt.Sprintf("%.3g%s", value, unit)
}

// latency writes microseconds in at most four places up to 10 ms.
func latency(t *results.Timing, quantile func(results.Latency) int64) string {
	if t == nil {
		return "-"
	}
	return digits(float64(quantile(t.Latency))/1000, 2)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}
