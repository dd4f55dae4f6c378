// Package report prints results for people.
package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gravelkv/gravel/benchdb/internal/bytesize"
	"github.com/gravelkv/gravel/benchdb/internal/results"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// width is what a terminal shows without wrapping.
const width = 80

// Header prints what is measured and the shape of the stores.
func Header(w io.Writer, r *results.Run) {
	s := r.Settings
	fmt.Fprintf(w, "%s records of %s bytes, block cache %s, %s, seed %d\n",
		humanize.Comma(int64(s.Records)), humanize.Comma(int64(s.ValueSize)),
		bytesize.Size(s.CacheSize).Human(), plural(s.Threads, "thread"), s.Seed)
	fmt.Fprintf(w, "Pebble %s, %s, %s (%s), %s/%s\n", r.Environment.Pebble, r.Environment.Go,
		r.Environment.CPU, plural(r.Environment.Cores, "core"), r.Environment.OS, r.Environment.Arch)
}

// Stores prints the levels of the stores, once if they are the same, and their
// filters.
func Stores(w io.Writer, stores []results.Store) {
	if len(stores) == 0 {
		return
	}
	shapes := map[string]bool{}
	for _, s := range stores {
		shapes[shape(s)] = true
	}
	for _, s := range stores {
		if len(shapes) > 1 {
			fmt.Fprintf(w, "%s: ", s.Policy)
		}
		fmt.Fprintln(w, shape(s))
		if len(shapes) == 1 {
			break
		}
	}
	fmt.Fprintln(w)

	t := newTable("filters", "memory", "bits/key", "largest block", "build ns/key", "load s")
	for _, s := range stores {
		f := s.Filters
		row := table.Row{s.Policy, size(f.Bytes), "-", size(f.LargestBlock), "-", fmt.Sprintf("%.1f", s.LoadSeconds)}
		if f.Bytes > 0 {
			row[2] = fmt.Sprintf("%.2f", f.BitsPerKey)
			row[4] = fmt.Sprintf("%.0f", float64(f.Build.Time.Nanoseconds())/float64(f.Build.Keys))
		}
		t.AppendRow(row)
	}
	fmt.Fprintln(w, t.Render())
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

// Workload prints one workload's table.
func Workload(w io.Writer, r *results.Run, workload results.Workload) {
	if len(workload.Rows) == 0 {
		return
	}
	memory := map[string]int64{}
	for _, s := range r.Stores {
		memory[s.Policy] = s.Filters.Bytes
	}
	fmt.Fprintf(w, "\n%s\n", title(r, workload))
	t := newTable("policy", "lookup", "memory", "reads/op", "skipped", "FPR", "ops/s", "p50", "p99")
	for _, row := range workload.Rows {
		t.AppendRow(table.Row{
			row.Policy, row.Lookup, size(memory[row.Policy]), perOperation(row), skipped(row),
			percent(row.Probes.FPR), speed(row.Timing),
			latency(row.Timing, func(l results.Latency) int64 { return l.P50 }),
			latency(row.Timing, func(l results.Latency) int64 { return l.P99 }),
		})
	}
	fmt.Fprintln(w, t.Render())
}

// Legend explains the tables.
func Legend(w io.Writer) {
	fmt.Fprint(w, `
reads/op  reads of .sst files below the block cache
skipped   data-block reads that filters saved, of those without filters
FPR       share of filter probes that pass, of those for keys not in the table
memory    all filter blocks together
p50, p99  latency in microseconds
`)
}

func title(r *results.Run, w results.Workload) string {
	name := "YCSB " + w.Name
	if w.Name == ycsb.AbsentName {
		name = fmt.Sprintf("%.4g %% absent keys", 100*w.Absent)
	}
	sources := map[string]bool{}
	for _, row := range w.Rows {
		if row.Timing != nil {
			sources[row.Timing.Source] = true
		}
	}
	for _, source := range []string{results.Both, results.Device, results.PageCache} {
		if sources[source] {
			return fmt.Sprintf("%s: %s operations, reads served by the %s",
				name, humanize.Comma(int64(r.Settings.Operations)), source)
		}
	}
	return name + ": counted, not timed"
}

func newTable(columns ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SetAllowedRowLength(width)
	t.SuppressTrailingSpaces()
	t.AppendHeader(columns)
	var configs []table.ColumnConfig
	for i := range columns {
		config := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if i == 0 || columns[i] == "lookup" {
			config.Align, config.AlignHeader = text.AlignLeft, text.AlignLeft
		}
		configs = append(configs, config)
	}
	configs[0].WidthMax, configs[0].WidthMaxEnforcer = 15, text.WrapHard
	t.SetColumnConfigs(configs)
	return t
}

func size(n int64) string {
	if n == 0 {
		return "-"
	}
	return strings.ReplaceAll(bytesize.Size(n).Human(), " ", "")
}

func perOperation(r results.Row) string {
	return fmt.Sprintf("%.4f", float64(r.Reads.Total.Reads)/float64(r.Operations))
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
