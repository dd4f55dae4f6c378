package planning

import (
	"context"
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Inspection is what a store's filters are, and what they would be under a plan.
type Inspection struct {
	report.Head
	// Read is empty for both ways.
	Read Read `json:"read"`
	// Live says that the store is open elsewhere.
	Live  bool            `json:"live"`
	Shape levelplan.Shape `json:"shape"`
	inspect.Report
	// CacheShard is the size of a shard of the block cache: a filter block that
	// is larger cannot stay cached.
	CacheShard int64 `json:"cache_shard"`
	// Now is what the filters waste, as measured. NowGet is the same for
	// pebble.DB.Get, nil unless both ways are shown. Planned is what a plan
	// would waste, nil without one.
	Now     Plan  `json:"now"`
	NowGet  *Plan `json:"now_get"`
	Planned *Plan `json:"planned"`
}

// Inspect inspects a store. The plan may be nil.
func (r *Inspection) Inspect(ctx context.Context, s *checkpoint.Store, plan *policy.Policy) (err error) {
	r.Live = s.Live
	reads := r.Read.reads(0)
	if r.Shape, err = s.Shape(); err != nil {
		return err
	}
	if r.Report, err = s.Report(ctx); err != nil || len(r.Rows) == 0 {
		return err
	}
	if r.Now, err = nowPlan(r.Report, r.Shape, reads); err != nil {
		return err
	}
	if r.Read == "" {
		get, err := nowPlan(r.Report, r.Shape, Get.reads(0))
		if err != nil {
			return err
		}
		get.Name, r.Now.Name = now+", with pebble.DB.Get", now+", with pebbleext.Reader"
		r.NowGet = &get
	}
	if plan == nil {
		return nil
	}
	planned, err := forecast("under the plan", r.Shape, plan.Plan, reads)
	planned.Text = plan.Text
	r.Planned = &planned
	return err
}

// tableBytes is the size of all table filters.
func tableBytes(f inspect.Report) (n int64) {
	for _, row := range f.Rows {
		n += row.Bytes
	}
	return n
}

// notes say what an operator may want to change.
func (r *Inspection) notes() (notes []string) {
	add := func(level int, format string, values ...any) {
		notes = append(notes, fmt.Sprintf("L%d: %s.", level, fmt.Sprintf(format, values...)))
	}
	if largest := r.largest(); largest.LargestBlock > 0 {
		add(largest.Level, "the largest block has %s; a shard of the block cache has %s",
			report.Size(largest.LargestBlock).Short(), report.Size(r.CacheShard).Short())
		if largest.LargestBlock > r.CacheShard {
			add(largest.Level, "it cannot stay cached, and each lookup reads it: use max= in its policy")
		}
	}
	for _, row := range r.Rows {
		if note := r.note(row); note != "" {
			add(row.Level, "%s", note)
		}
		if row.Moved > 0 {
			add(row.Level, "%s written for another level, and moved here with the filter", report.Plural(row.Moved, "table"))
		}
	}
	if unnamed := r.unnamed(); unnamed > 0 && r.Read != Get {
		notes = append(notes, report.Plural(unnamed, "table")+" without a name for the filter, which memory needs: see refilter.")
	}
	for _, row := range r.Index {
		if r.Read == Get {
			add(row.Level, "pebble.DB.Get never asks the filters in the index: %s for nothing", report.Size(row.Bytes).Short())
		}
	}
	return notes
}

// unnamed is the number of tables whose filters cannot be in memory.
func (r *Inspection) unnamed() (n int) {
	for _, row := range r.Rows {
		n += row.Unnamed
	}
	return n
}

func (r *Inspection) largest() (largest inspect.Row) {
	for _, row := range r.Rows {
		if row.LargestBlock > largest.LargestBlock {
			largest = row
		}
	}
	return largest
}

func (r *Inspection) note(row inspect.Row) string {
	unasked := row.Level == 6 && r.Read == Get
	tables := report.Plural(row.Tables, "table")
	switch {
	case row.Family == inspect.Unreadable:
		return tables + " with a filter that is damaged or of a later version"
	case row.Family == inspect.None && (unasked || row.Tables <= r.indexed(row.Level)):
		return ""
	case row.Family == inspect.None:
		return tables + " without a table filter"
	case row.Measured == nil:
		return fmt.Sprintf("%s with filters of the policy %q, which is unknown here", tables, row.Family)
	case row.Level == 6 && r.Read == "":
		return "pebble.DB.Get never asks these filters, pebbleext.Reader does"
	case unasked:
		return "pebble.DB.Get never asks these filters: " + report.Size(row.Bytes).Short() + " for nothing"
	}
	return ""
}

// indexed returns how many tables of a level have index filters, where they are
// asked.
func (r *Inspection) indexed(level int) int {
	for _, row := range r.Index {
		if row.Level == level && r.Read != Get {
			return row.Tables
		}
	}
	return 0
}
