// Package planning compares level plans for a store.
package planning

import (
	"cmp"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Result is a plan from a budget, beside others of the same memory.
type Result struct {
	report.Head
	Settings Settings `json:"settings"`
	// Live says that the store is open elsewhere.
	Live  bool            `json:"live"`
	Shape levelplan.Shape `json:"shape"`
	// Plans starts with the one to choose, and ends with no filters.
	Plans []Plan `json:"plans"`
	// Curve is what the best plans of growing budgets waste, and Knee a point of
	// it.
	Curve []Point `json:"curve"`
	Knee  Point   `json:"knee"`
	// Divisions starts with that plan.
	Divisions []Division `json:"divisions"`
}

// Settings are what was asked for. Sizes are in bytes.
type Settings struct {
	Budget    int64   `json:"budget"`
	CacheSize int64   `json:"cache_size"`
	MaxBlock  int64   `json:"max_block"`
	Family    string  `json:"family"`
	Read      Read    `json:"read"`
	Present   float64 `json:"present"`
}

// Read is how a store is read.
type Read string

// The ways to read a store.
const (
	Reader Read = "reader" // pebbleext.Reader
	Get    Read = "get"    // pebble.DB.Get
)

// reads are lookups of which a share is of keys that are there.
func (r Read) reads(present float64) levelplan.Reads {
	return levelplan.Reads{Get: r == Get, Present: present}
}

// Plan is a plan, or filters that a store has, and what is expected of it.
type Plan struct {
	Name string `json:"name"`
	// Text is empty for filters that are not from one plan.
	Text  string `json:"plan"`
	Bytes int64  `json:"bytes"`
	// WastedAbsent and WastedPresent are reads of data blocks without the key,
	// for each lookup of an absent and of a present key.
	WastedAbsent  float64 `json:"wasted_absent"`
	WastedPresent float64 `json:"wasted_present"`
	Levels        []Level `json:"levels"`
}

// Level is a plan's level.
type Level struct {
	Level         int     `json:"level"`
	Policy        string  `json:"policy"`
	Keys          int64   `json:"keys"`
	Bytes         int64   `json:"bytes"`
	FPR           float64 `json:"fpr"`
	WastedAbsent  float64 `json:"wasted_absent"`
	WastedPresent float64 `json:"wasted_present"`
}

// bitsPerKey is the size of the level's filters.
func (l Level) bitsPerKey() float64 { return 8 * float64(l.Bytes) / float64(max(l.Keys, 1)) }

// Names of plans; others go by their text.
const (
	fromBudget = "this plan"
	now        = "now" // the filters that a store has
)

// Compare compares ways to spend a budget beside a block cache, and the one to
// choose with uniform plans of its family and of Bloom filters, with the
// filters that the store has, if they are not nil, and with none.
func (r *Result) Compare(shape levelplan.Shape, filters *inspect.Report, budget Budget) (err error) {
	s := &r.Settings
	reads := s.Read.reads(s.Present)
	b := levelplan.Budget{MaxBlock: int(s.MaxBlock), Family: s.Family, Reads: reads}
	r.Shape = shape
	if r.Curve, err = curve(shape, b); err != nil {
		return err
	}
	r.Knee = knee(r.Curve)
	s.Budget = cmp.Or(budget.of(shape), r.Knee.Bytes)
	if b.Bytes = s.Budget; b.Bytes == 0 {
		return noKnee(shape, b)
	}
	divisions, err := shape.Divisions(b, levelplan.Memory{Cache: s.CacheSize})
	if err != nil {
		return err
	}
	for _, d := range divisions {
		r.Divisions = append(r.Divisions, newDivision(d))
	}
	if err := r.add(fromBudget, divisions[0].Plan, reads); err != nil {
		return err
	}
	if filters != nil {
		if err := r.addNow(*filters); err != nil {
			return err
		}
	}
	for _, family := range slices.Compact([]string{"bloom", s.Family}) {
		uniform, err := shape.Uniform(family, b.Bytes)
		if err != nil {
			continue // the budget is too small for filters everywhere
		}
		if err := r.add(uniform.String(), uniform, reads); err != nil {
			return err
		}
	}
	return r.add("none", pebbleext.Uniform(nil), reads)
}

func (r *Result) add(name string, plan pebbleext.Plan, reads levelplan.Reads) error {
	p, err := forecast(name, r.Shape, plan, reads)
	r.Plans = append(r.Plans, p)
	return err
}

// forecast describes a plan.
func forecast(name string, shape levelplan.Shape, plan pebbleext.Plan, reads levelplan.Reads) (Plan, error) {
	f, err := shape.Forecast(plan, reads)
	p := newPlan(name, f)
	p.Text = plan.String()
	for i := range p.Levels {
		p.Levels[i].Policy = policy.Text(plan.Levels[p.Levels[i].Level])
	}
	return p, err
}

// nowPlan describes the filters that a store has.
func nowPlan(f inspect.Report, shape levelplan.Shape, reads levelplan.Reads) (Plan, error) {
	expected, err := shape.ForecastFilters(f.ByLevel(), reads)
	p := newPlan(now, expected)
	p.Bytes = tableBytes(f)
	for i := range p.Levels {
		p.Levels[i].Bytes = 0
		for _, row := range f.Rows {
			if row.Level == p.Levels[i].Level {
				p.Levels[i].Bytes += row.Bytes
			}
		}
	}
	return p, err
}

// newPlan describes filters that are not from one plan.
func newPlan(name string, f levelplan.Forecast) Plan {
	p := Plan{Name: name, Bytes: f.Bytes, WastedAbsent: f.Absent, WastedPresent: f.Present}
	for _, l := range f.Levels {
		p.Levels = append(p.Levels, Level{
			Level: l.Level, Keys: l.Keys, Bytes: l.Bytes, FPR: l.Rate,
			WastedAbsent: l.Absent, WastedPresent: l.Present,
		})
	}
	return p
}
