package planning

import (
	"cmp"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Division is a way to divide the memory of a store, and what a lookup then
// reads from disk.
type Division struct {
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

func newDivision(d levelplan.Division) Division {
	var kinds []string
	switch {
	case d.Memory.Resident:
		kinds = append(kinds, "resident")
	case d.Bytes > 0:
		kinds = append(kinds, "in the cache")
	}
	if d.Plan.Index > 0 {
		kinds = append(kinds, "in the index")
	}
	name := cmp.Or(strings.Join(kinds, ", "), "none")
	return Division{name, d.Plan.String(), d.Memory.Resident, d.Bytes, d.Memory.Cache, d.Absent, d.Present}
}

// addNow adds the filters that a store has, in a cache of all the memory. Where they
// do not fit, a Reader goes by pebble.DB.Get.
func (r *Result) addNow(f inspect.Report) error {
	s := r.Settings
	p, err := nowPlan(f, r.Shape, s.Read.reads(s.Present))
	if err != nil {
		return err
	}
	r.Plans = append(r.Plans, p)
	d := Division{Name: now, Filters: tableBytes(f), Cache: s.Budget + s.CacheSize}
	reads := s.Read.reads(s.Present)
	if d.Filters > d.Cache*2/3 {
		reads = Get.reads(s.Present)
	}
	d.Absent, d.Present, err = r.Shape.DiskReads(f.ByLevel(), reads, levelplan.Memory{Cache: d.Cache})
	r.Divisions = append(r.Divisions, d)
	return err
}

// divisions compares what lookups read.
func (r *Result) divisions() report.Table {
	all := report.Size(r.Settings.Budget + r.Settings.CacheSize).Short()
	t := report.NewTable("What a lookup reads from disk, by how the total memory is spent: "+all, 1,
		"filters", "table\nfilters", "block\ncache", "absent\nreads", "\nKiB", "present\nreads", "\nKiB")
	for _, d := range r.Divisions {
		row := []string{d.Name, report.Size(d.Filters).Short(), report.Size(d.Cache).Short()}
		for _, reads := range []levelplan.DiskReads{d.Absent, d.Present} {
			row = append(row, report.Decimals(reads.Reads, 3), report.Decimals(reads.Bytes/1024, 2))
		}
		t.Add(row...)
	}
	return t
}
