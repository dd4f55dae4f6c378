package run

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Samples implements report.Sampled.
func (r *Result) Samples() (all []report.Sample) {
	for _, w := range r.Writing {
		all = append(all, w.samples(r.Settings.Records)...)
	}
	return append(all, r.Measured.Samples()...)
}

// Samples are turns of times, and one value of anything else.
func (m Measured) Samples() (all []report.Sample) {
	for _, s := range m.Stores {
		of := "policy=" + s.Policy
		if s.Filters.Bytes > 0 {
			all = append(all, report.Sample{Metric: "filter-B", Of: of, Values: []float64{float64(s.Filters.Bytes)}})
		}
		if s.Filters.Build.Keys > 0 {
			all = append(all, report.Sample{Metric: "build-ns/key", Of: of, Values: []float64{s.Filters.Build.PerKey()}})
		}
	}
	for _, w := range m.Workloads {
		for _, row := range w.Rows {
			all = append(all, row.samples(w)...)
		}
	}
	return all
}

func (r Row) samples(w Outcome) (all []report.Sample) {
	of := fmt.Sprintf("workload=%s/memory=%v/policy=%s/lookup=%s", w.Name, w.Memory, r.Policy, r.Lookup)
	if w.Threads > 1 {
		of += fmt.Sprintf("/threads=%d", w.Threads)
	}
	add := func(metric string, values ...float64) {
		if len(values) > 0 {
			all = append(all, report.Sample{Metric: metric, Of: of, Values: values})
		}
	}
	add("reads/op", r.RoundReads...)
	add("read-B/op", 1024*r.KiBPerOp())
	if r.Queries.FPR != nil {
		add("FPR-%", 100**r.Queries.FPR)
	}
	if t := r.Timing; t != nil {
		add("ns/op", t.TurnNS...)
		add("p50-ns", float64(t.Latency.P50))
		add("p99-ns", float64(t.Latency.P99))
		add("p99.9-ns", float64(t.Latency.P999))
	}
	return all
}
