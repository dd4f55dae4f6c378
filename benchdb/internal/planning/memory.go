package planning

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
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

// AddNow adds the filters that a store has, in a cache of all the memory.
func (r *Result) AddNow(f inspect.Filters) (err error) {
	o := Option{Name: "now", Cache: r.Settings.Budget + r.Settings.CacheSize}
	for _, row := range f.Rows {
		o.Filters += row.Bytes
	}
	o.Absent, o.Present, err = r.Shape.DiskReads(f.ByLevel(), r.reads(), levelplan.Memory{Cache: o.Cache})
	r.Options = append(r.Options, o)
	return err
}

func (r *Result) reads() levelplan.Reads {
	return levelplan.Reads{Get: r.Settings.Read == Get, Present: r.Settings.Present}
}

var optionHeader = []string{"filters", "size", "cache", "absent", "KiB", "present", "KiB"}

func (o Option) figures() []string {
	row := []string{o.Name, report.Size(o.Filters).Short(), report.Size(o.Cache).Short()}
	for _, d := range []levelplan.DiskReads{o.Absent, o.Present} {
		row = append(row, report.Decimals(d.Reads, 3), report.Decimals(d.Bytes/1024, 2))
	}
	return row
}

// printOptions writes what lookups read.
func (r Result) printOptions(w io.Writer) {
	t := report.Layout{Names: 1, Width: 26}.NewTable(cells(optionHeader)...)
	for _, o := range r.Options {
		t.AppendRow(cells(o.figures()))
	}
	t.Print(w)
	fmt.Fprintf(w, `
resident         table filters in memory of their own, outside of the cache
size, cache      of table filters, and of the cache: in all %s
absent, present  reads from disk for each lookup of such a key, and their KiB
`, report.Size(r.Settings.Budget+r.Settings.CacheSize).Short())
}

func optionTable(r Result) report.Table {
	t := report.Table{Caption: "What a lookup reads from disk, by how the memory is spent", Names: 1}
	t.Grid = chart.Grid{Header: []string{"filters", "table filters", "block cache", "reads, absent key", "KiB", "reads, present key", "KiB"}}
	for _, o := range r.Options {
		t.Rows = append(t.Rows, o.figures())
	}
	return t
}
