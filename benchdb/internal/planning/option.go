package planning

import (
	"cmp"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Option is a way to spend the memory of a store, and what a lookup then reads
// from disk.
type Option struct {
	Name string `json:"name"`
	// Text is the plan, empty for filters that are not from one.
	Text string `json:"plan"`
	// Resident tells whether table filters are resident, and not in the cache.
	Resident bool  `json:"resident"`
	Filters  int64 `json:"filter_bytes"`
	Cache    int64 `json:"cache_bytes"` // for all that is not resident
	// Absent and Present are of a lookup of such a key.
	Absent  levelplan.DiskReads `json:"absent"`
	Present levelplan.DiskReads `json:"present"`
}

func newOption(o levelplan.Option) Option {
	var kinds []string
	switch {
	case o.Memory.Resident:
		kinds = append(kinds, "resident")
	case o.Bytes > 0:
		kinds = append(kinds, "in the cache")
	}
	if o.Plan.Index > 0 {
		kinds = append(kinds, "in the index")
	}
	name := cmp.Or(strings.Join(kinds, ", "), "none")
	return Option{name, o.Plan.String(), o.Memory.Resident, o.Bytes, o.Memory.Cache, o.Absent, o.Present}
}

// addNow adds the filters that a store has, in a cache of all the memory.
func (r *Result) addNow(f inspect.Filters) error {
	s := r.Settings
	p, err := nowPlan(f, r.Shape, s.Read.reads(s.Present))
	if err != nil {
		return err
	}
	r.Plans = append(r.Plans, p)
	o := Option{Name: now, Filters: tableBytes(f), Cache: s.Budget + s.CacheSize}
	o.Absent, o.Present, err = r.Shape.DiskReads(f.ByLevel(), s.Read.reads(s.Present), levelplan.Memory{Cache: o.Cache})
	r.Options = append(r.Options, o)
	return err
}

// options compares what lookups read.
func (r *Result) options() report.Table {
	all := report.Size(r.Settings.Budget + r.Settings.CacheSize).Short()
	t := report.NewTable("What a lookup reads from disk, by how the memory is spent: "+all, 1,
		"filters", "table\nfilters", "block\ncache", "absent\nreads", "\nKiB", "present\nreads", "\nKiB")
	for _, o := range r.Options {
		row := []string{o.Name, report.Size(o.Filters).Short(), report.Size(o.Cache).Short()}
		for _, d := range []levelplan.DiskReads{o.Absent, o.Present} {
			row = append(row, report.Decimals(d.Reads, 3), report.Decimals(d.Bytes/1024, 2))
		}
		t.Add(row...)
	}
	return t
}
