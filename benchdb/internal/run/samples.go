package run

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
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
			all = append(all, report.Sample{Metric: "filter-B", Of: of, Values: []float64{float64(s.Filters.Bytes)}, Count: true})
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

func (r Row) samples(w Workload) []report.Sample {
	of := fmt.Sprintf("workload=%s/memory=%v/policy=%s/lookup=%s", w.Name, w.Memory, r.Policy, r.Lookup)
	if w.Threads > 1 {
		of += fmt.Sprintf("/threads=%d", w.Threads)
	}
	known, err := ycsb.Parse(w.Name)
	count := report.Sample{
		Of: of, Count: true, Events: float64(r.Reads.Total.Reads), Varies: err != nil || known.Writes(),
		Repeats: policy.Family(r.Policy) == policy.PebbleBloom || policy.Family(r.Policy) == none,
	}
	reads, bytes, rate := count, count, count
	reads.Metric, reads.Values = "reads/op", r.RoundReads
	bytes.Metric, bytes.Values = "read-B/op", []float64{1024 * r.KiBPerOp()}
	all := []report.Sample{reads, bytes}
	if r.Queries.FPR != nil {
		rate.Metric, rate.Values = "FPR-%", []float64{100 * *r.Queries.FPR}
		rate.Events = float64(r.Queries.FalsePositives)
		all = append(all, rate)
	}
	if t := r.Timing; t != nil {
		if len(t.TurnNS) > 0 {
			all = append(all, report.Sample{Metric: "ns/op", Of: of, Values: t.TurnNS})
		}
		for _, q := range []struct {
			metric string
			ns     int64
		}{{"p50-ns", t.Latency.P50}, {"p99-ns", t.Latency.P99}, {"p99.9-ns", t.Latency.P999}} {
			all = append(all, report.Sample{Metric: q.metric, Of: of, Values: []float64{float64(q.ns)}})
		}
	}
	return all
}
