package planning

import (
	"context"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Inspection is what a store's filters are, and what they would be under a plan.
type Inspection struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Read    string `json:"read"`
	// Live says that the store is open elsewhere.
	Live  bool            `json:"live"`
	Shape levelplan.Shape `json:"shape"`
	inspect.Filters
	// CacheShard is the size of a shard of the block cache: a filter block that
	// is larger cannot stay cached.
	CacheShard int64 `json:"cache_shard"`
	// Now is what the filters waste as measured, Planned what a plan would; it
	// is nil without one.
	Now     Plan  `json:"now"`
	Planned *Plan `json:"planned"`
}

// Inspect inspects a store. The plan may be nil.
func Inspect(ctx context.Context, s *inspect.Store, reads levelplan.Reads, plan *pebbleext.Plan) (Inspection, error) {
	r := Inspection{Schema: report.Schema, Command: "inspect", Read: Reader, Live: s.Live}
	if reads.Get {
		r.Read = Get
	}
	var err error
	if r.Shape, err = s.Shape(); err != nil {
		return r, err
	}
	if r.Filters, err = s.Filters(ctx); err != nil || len(r.Rows) == 0 {
		return r, err
	}
	now, err := r.Shape.ForecastRates(r.Rates(reads), reads)
	if err != nil {
		return r, err
	}
	r.Now = New("now", now)
	r.Now.Bytes = r.bytes()
	if plan == nil {
		return r, nil
	}
	planned, err := Forecast("under the plan", r.Shape, *plan, reads)
	r.Planned = &planned
	return r, err
}

func (r Inspection) bytes() (n int64) {
	for _, row := range r.Rows {
		n += row.Bytes
	}
	return n
}

func (r Inspection) largest() (largest inspect.Row) {
	for _, row := range r.Rows {
		if row.LargestBlock > largest.LargestBlock {
			largest = row
		}
	}
	return largest
}
