package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/gravelkv/gravel/benchdb/internal/results"
)

// csvPrinter prints a line for each workload, policy and lookup, figures in
// full, and one for each row of a sweep.
type csvPrinter struct{ w *csv.Writer }

func newCSV(w io.Writer) csvPrinter { return csvPrinter{csv.NewWriter(w)} }

// csvHeader names the columns; the README describes them.
var csvHeader = []string{
	"workload", "policy", "lookup", "cache_bytes", "operations", "filter_bytes", "bits_per_key",
	"reads", "data_reads", "read_bytes", "skipped_reads", "fpr",
	"operations_per_second", "p50_ns", "p95_ns", "p99_ns",
}

func (p csvPrinter) write(fields []string) {
	_ = p.w.Write(fields) // Close returns the error
	p.w.Flush()
}

func (p csvPrinter) Header(*results.Run) { p.write(csvHeader) }

func (csvPrinter) Stores(*results.Run) {}

func (p csvPrinter) Workload(r *results.Run, w results.Workload) {
	for _, row := range w.Rows {
		fields := start(r, w.Name, row.Policy, row.Lookup, r.Settings.CacheSize, row.Operations, row.Reads)
		fields = append(fields, whole(row.SkippedReads), optional(row.Probes.FPR))
		if t := row.Timing; t != nil {
			fields = append(fields, full(t.OperationsPerS), whole(t.Latency.P50), whole(t.Latency.P95), whole(t.Latency.P99))
		}
		p.write(pad(fields))
	}
}

func (p csvPrinter) Sweep(r *results.Run) {
	for _, row := range r.CacheSweep {
		p.write(pad(start(r, row.Workload, row.Policy, row.Lookup, row.CacheSize, row.Operations, row.Reads)))
	}
}

func (p csvPrinter) Close(*results.Run) error { return p.w.Error() }

// start returns the fields that all lines have.
func start(r *results.Run, workload, policy, lookup string, cache int64, operations int, reads results.Reads) []string {
	var filters results.Filters
	for _, s := range r.Stores {
		if s.Policy == policy {
			filters = s.Filters
		}
	}
	return []string{
		workload, policy, lookup, whole(cache), strconv.Itoa(operations),
		whole(filters.Bytes), full(filters.BitsPerKey),
		whole(reads.Total.Reads), whole(reads.Data.Reads), whole(reads.Total.Bytes),
	}
}

// pad adds empty fields for what was not measured.
func pad(fields []string) []string {
	return append(fields, make([]string, len(csvHeader)-len(fields))...)
}

func whole(n int64) string  { return strconv.FormatInt(n, 10) }
func full(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return full(*v)
}
