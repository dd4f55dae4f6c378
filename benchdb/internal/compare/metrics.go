package compare

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// The figures that are compared. Of all of them less is better.
const (
	timePerOp    = "time/op, ns"
	p99          = "p99, ns"
	readsPerOp   = "reads/op"
	bytesPerOp   = "read bytes/op"
	rate         = "FPR, %"
	filterBytes  = "filter memory, bytes"
	buildPerKey  = "build, ns/key"
	bitsPerKey   = "bits/key"
	peakPerKey   = "peak memory, bytes/key"
	absentTime   = "MayContain absent, ns"
	presentTime  = "MayContain present, ns"
	absentRatio  = "MayContain absent, ratio"
	presentRatio = "MayContain present, ratio"
)

// one is a sample of one value.
func one(metric, of string, value float64) sample {
	return sample{metric, of, measured{values: []float64{value}}}
}

// by is a count that so many random events make up.
func (s sample) by(events float64, repeats bool) sample {
	s.events, s.repeats = events, repeats
	return s
}

// ofRun takes the figures of benchdb run: rounds of times, and one value of
// anything else.
func ofRun(r *run.Result) []sample {
	var all []sample
	for _, s := range r.Stores {
		if s.Filters.Bytes == 0 {
			continue
		}
		all = append(all, one(filterBytes, s.Policy, float64(s.Filters.Bytes)))
		if b := s.Filters.Build; b.Keys > 0 {
			all = append(all, one(buildPerKey, s.Policy, float64(b.Time.Nanoseconds())/float64(b.Keys)))
		}
	}
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			all = append(all, ofRow(w, row)...)
		}
	}
	return all
}

func ofRow(w run.Workload, row run.Row) []sample {
	of := fmt.Sprintf("%s %v %s %s", w.Name, w.Memory, row.Policy, row.Lookup)
	if w.Threads > 1 {
		of += fmt.Sprintf(" %d threads", w.Threads)
	}
	repeats := policy.Family(row.Policy) == policy.PebbleBloom || policy.Family(row.Policy) == "none"
	reads := float64(row.Reads.Total.Reads)
	all := []sample{
		one(readsPerOp, of, row.ReadsPerOp()).by(reads, repeats),
		one(bytesPerOp, of, 1024*row.KiBPerOp()).by(reads, repeats),
	}
	if row.Queries.FPR != nil {
		all = append(all, one(rate, of, 100**row.Queries.FPR).by(float64(row.Queries.FalsePositives), repeats))
	}
	known, err := ycsb.Parse(w.Name)
	for i := range all {
		all[i].varies = err != nil || known.Writes()
	}
	if t := row.Timing; t != nil {
		all = append(all, one(p99, of, float64(t.Latency.P99)))
		if len(t.RoundNS) > 0 {
			all = append(all, sample{timePerOp, of, measured{values: t.RoundNS}})
		}
	}
	return all
}

// ofMicro takes the figures of benchdb micro, one sample of each.
func ofMicro(r *micro.Result) []sample {
	var all []sample
	for _, b := range r.Builds {
		for _, row := range b.Rows {
			of := fmt.Sprintf("%s %d keys", row.Policy, b.Keys)
			positives := row.FPR.Rate * float64(row.FPR.AbsentKeys)
			all = append(all, one(bitsPerKey, of, row.BitsPerKey), one(rate, of, 100*row.FPR.Rate).by(positives, false))
			if row.Time != nil {
				all = append(all, one(buildPerKey, of, row.Time.NS))
			}
			if row.PeakBytesPerKey != nil {
				all = append(all, one(peakPerKey, of, *row.PeakBytesPerKey))
			}
		}
	}
	for _, q := range r.Queries {
		for _, row := range q.Rows {
			of := fmt.Sprintf("%s %d keys of %d bytes", row.Policy, q.Keys, q.KeySize)
			if q.ColdBytes > 0 {
				of += " in " + report.Size(q.ColdBytes).Human()
			}
			a := row.OneCore
			all = append(all,
				one(absentTime, of, a.Absent.NS), one(absentRatio, of, a.Absent.Ratio),
				one(presentTime, of, a.Present.NS), one(presentRatio, of, a.Present.Ratio))
		}
	}
	return all
}

// counts are figures that a repeated run has again, but for random seeds of
// filter blocks.
var counts = map[string]bool{readsPerOp: true, bytesPerOp: true, rate: true, filterBytes: true, bitsPerKey: true}
