package replay

import (
	"math"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Forecast is what a lookup is expected to read, on average.
type Forecast struct {
	Workload string     `json:"workload"`
	Policy   string     `json:"policy"`
	Lookup   run.Lookup `json:"lookup"`
	levelplan.DiskReads
}

// memTable is what Pebble's first memtable takes of the block cache.
const memTable = 256 << 10

// forecast adds what lookups would read with the filters of policies.
func (r *Result) forecast(s *Survey, policies []policy.Policy, b *run.Bench) error {
	for _, w := range s.Workloads() {
		for _, p := range policies {
			for _, l := range b.Lookups(w, p) {
				reads, err := s.diskReads(w, p, l, b.Memory)
				if err != nil {
					return err
				}
				r.Forecasts = append(r.Forecasts, Forecast{w.Name, p.Text, l, reads})
			}
		}
	}
	return nil
}

// diskReads is what a lookup reads by the model of levelplan, in a memory of so
// many bytes. A DB does the best that it can: Get, or an iterator with as much of
// the filters in memory as pays, at most half of the memory.
func (s *Survey) diskReads(w ycsb.Workload, p policy.Policy, l run.Lookup, memory int64) (least levelplan.DiskReads, err error) {
	filters, m := s.Shape.Filters(p.Plan), levelplan.Memory{Cache: max(memory-memTable, 0)}
	if l != run.DB {
		return s.mean(w, filters, l == run.Get, m)
	}
	if least, err = s.mean(w, filters, true, m); err != nil {
		return least, err
	}
	for part := 1.0; part >= 1.0/8; part /= 2 {
		kept := partOf(filters, p, part)
		all, err := s.Shape.ForecastFilters(kept, levelplan.Reads{})
		if err != nil {
			return least, err
		}
		if all.Bytes > memory/2 {
			continue
		}
		resident := levelplan.Memory{Resident: all.Bytes > 0, Cache: max(m.Cache-all.Bytes, 0)}
		reads, err := s.mean(w, kept, false, resident)
		if err != nil {
			return least, err
		}
		if reads.Reads < least.Reads {
			least = reads
		}
	}
	return least, nil
}

// partOf is the part of filters that is in memory: a part of each that can be cut,
// or of the tables.
func partOf(f levelplan.Filters, p policy.Policy, part float64) levelplan.Filters {
	for level, of := range p.Plan.Levels {
		f[level].Block *= part
		if own, ok := of.(*filterpolicy.Policy); ok && own.Family() == levelplan.DefaultFamily {
			f[level].Rate = math.Pow(f[level].Rate, part)
		} else {
			f[level].Rate = 1 - part*(1-f[level].Rate)
		}
	}
	return f
}

// mean is what a lookup of a workload reads.
func (s *Survey) mean(w ycsb.Workload, f levelplan.Filters, get bool, m levelplan.Memory) (mean levelplan.DiskReads, err error) {
	absent, present, err := s.Shape.DiskReads(f, levelplan.Reads{Get: get, Present: 1 - w.Absent}, m)
	mean.Reads = w.Absent*absent.Reads + (1-w.Absent)*present.Reads
	mean.Bytes = w.Absent*absent.Bytes + (1-w.Absent)*present.Bytes
	return mean, err
}
