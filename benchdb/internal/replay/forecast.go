package replay

import (
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Forecast is what a lookup is expected to read, on average.
type Forecast struct {
	Workload string     `json:"workload"`
	Policy   string     `json:"policy"`
	Lookup   run.Lookup `json:"lookup"`
	levelplan.DiskReads
	// Measured is reads for each lookup where the row was measured, nil elsewhere.
	Measured *float64 `json:"measured"`
}

// memTable is what Pebble's first memtable takes of the block cache.
const memTable = 256 << 10

// Forecast returns what lookups of a workload would read with the filters of a
// policy, in a memory of so many bytes. A DB takes the better of Get and of an
// iterator that asks the filters of all levels.
func (s *Survey) Forecast(w Workload, p policy.Policy, l run.Lookup, memory int64) (f Forecast, err error) {
	f = Forecast{Workload: w.Name, Policy: p.Text, Lookup: l}
	m := levelplan.Memory{Cache: max(memory-memTable, 0)}
	filters := s.Shape.Filters(p.Plan)
	if l != run.DB {
		for level := range filters {
			filters[level].Index = 1 // nobody asks index filters
		}
		f.DiskReads, err = s.reads(w, filters, m, l == run.Get)
		return f, err
	}
	get, err := s.reads(w, filters, m, true)
	if err != nil {
		return f, err
	}
	if bytes := s.bytes(filters); bytes > 0 && bytes <= memory/2 {
		m.Resident, m.Cache = true, max(m.Cache-bytes, 0)
	}
	if f.DiskReads, err = s.reads(w, filters, m, false); get.Reads < f.Reads {
		f.DiskReads = get
	}
	return f, err
}

func (s *Survey) reads(w Workload, filters levelplan.Filters, m levelplan.Memory, get bool) (mean levelplan.DiskReads, err error) {
	absent, present, err := s.Shape.DiskReads(filters, levelplan.Reads{Get: get, Present: 1 - w.Absent}, m)
	mean.Reads = w.Absent*absent.Reads + (1-w.Absent)*present.Reads
	mean.Bytes = w.Absent*absent.Bytes + (1-w.Absent)*present.Bytes
	return mean, err
}

// bytes is what the table filters of the store take.
func (s *Survey) bytes(filters levelplan.Filters) (sum int64) {
	for _, l := range s.Shape.Levels {
		sum += int64(filters[l.Level].Block) * int64(max(l.Tables, 1))
	}
	return sum
}

// Recommended is the plan that makes lookups of the keys read least in a memory of
// so many bytes, or none where it is too small for any filter.
func (s *Survey) Recommended(memory int64) policy.Policy {
	plan := pebbleext.Uniform(nil)
	budget := levelplan.Budget{Bytes: memory / 2, Reads: levelplan.Reads{Present: 1 - s.absent()}}
	if divisions, err := s.Shape.Divisions(budget, levelplan.Memory{Cache: memory / 2}); err == nil {
		plan = divisions[0].Plan
	}
	return policy.Policy{Text: plan.String(), Plan: plan}
}
