package replay

import (
	"context"

	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Workload is keys to look up, by their positions.
type Workload struct {
	Name string
	Keys []int
}

// Workloads are all keys, and, if there are both, those that are there and those
// that are not.
func (o *Overlaps) Workloads() []Workload {
	all := Workload{Name: "all keys"}
	present, absent := Workload{Name: "present keys"}, Workload{Name: "absent keys"}
	for i := range o.keys {
		all.Keys = append(all.Keys, i)
		part := &present
		if o.Absent[i] {
			part = &absent
		}
		part.Keys = append(part.Keys, i)
	}
	switch {
	case len(present.Keys) == 0:
		return []Workload{absent}
	case len(absent.Keys) == 0:
		return []Workload{present}
	}
	return []Workload{all, present, absent}
}

// Warmup is how many of the keys go before those that are measured, to open
// tables and to fill the cache: a fifth.
func (w Workload) Warmup() int { return len(w.Keys) / 5 }

// Measure looks the keys up in all stores of a Bench.
func (o *Overlaps) Measure(ctx context.Context, b *run.Bench, w Workload) (run.Workload, error) {
	b.Keys = nil
	absent := 0
	for _, i := range w.Keys {
		b.Keys = append(b.Keys, run.Key{Bytes: o.keys[i], Absent: o.Absent[i]})
		if o.Absent[i] {
			absent++
		}
	}
	b.Operations = len(w.Keys) - w.Warmup()
	done, err := b.Run(ctx, w.ycsb())
	done.Absent = float64(absent) / float64(len(w.Keys))
	return done, err
}

// Steps is how many operations Measure tells the Bench's Progress of.
func (w Workload) Steps(b *run.Bench) int {
	b.Operations, b.Keys = len(w.Keys)-w.Warmup(), []run.Key{}
	return b.Steps(w.ycsb())
}

func (w Workload) ycsb() ycsb.Workload {
	lookups := ycsb.Workload{Name: w.Name}
	lookups.Mix[ycsb.Read] = 1
	return lookups
}
