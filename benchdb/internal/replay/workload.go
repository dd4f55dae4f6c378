package replay

import (
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Workload is keys to look up, by their positions.
type Workload struct {
	ycsb.Workload
	Keys []int
}

// Workloads are all keys, and, if there are both, those that are there and those
// that are not.
func (s *Survey) Workloads() []Workload {
	var all, present, absent []int
	for i := range s.keys {
		all = append(all, i)
		if s.Absent[i] {
			absent = append(absent, i)
		} else {
			present = append(present, i)
		}
	}
	workload := func(name string, keys []int, absent int) Workload {
		w := Workload{ycsb.Workload{Name: name, Absent: float64(absent) / float64(len(keys))}, keys}
		w.Mix[ycsb.Read] = 1
		return w
	}
	var both []Workload
	if len(present) > 0 && len(absent) > 0 {
		both = append(both, workload("all keys", all, len(absent)))
	}
	if len(present) > 0 {
		both = append(both, workload("present keys", present, 0))
	}
	if len(absent) > 0 {
		both = append(both, workload("absent keys", absent, len(absent)))
	}
	return both
}

// Warmup is how many of the keys go before those that are measured, to open
// tables and to fill the cache: a fifth.
func (w Workload) Warmup() int { return len(w.Keys) / 5 }

// Load makes a Bench look the keys up.
func (s *Survey) Load(b *run.Bench, w Workload) {
	b.Keys = nil
	for _, i := range w.Keys {
		b.Keys = append(b.Keys, run.Key{Bytes: s.keys[i], Absent: s.Absent[i]})
	}
	b.Operations, b.Warmup = len(w.Keys)-w.Warmup(), w.Warmup()
}
