// Package planning compares level plans for a store.
package planning

import (
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Result is a plan from a budget, beside others of the same memory.
type Result struct {
	report.Head
	Settings Settings `json:"settings"`
	// Live says that the store is open elsewhere.
	Live  bool            `json:"live"`
	Shape levelplan.Shape `json:"shape"`
	// Plans starts with the one to choose.
	Plans []Plan `json:"plans"`
	// Options starts with that plan.
	Options []Option `json:"options"`
}

// Settings are what was asked for. Sizes are in bytes.
type Settings struct {
	Budget    int64   `json:"budget"`
	CacheSize int64   `json:"cache_size"`
	MaxBlock  int     `json:"max_block"`
	Upper     string  `json:"upper"`
	Lower     string  `json:"lower"`
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

// fromBudget names the plan that was asked for; others go by their text.
const fromBudget = "this plan"

// Compare ways to spend a budget beside a block cache, and the one to choose with
// uniform plans of each of the budget's families and of Bloom filters.
func Compare(shape levelplan.Shape, s Settings) (*Result, error) {
	r := &Result{Head: report.NewHead("plan"), Shape: shape, Settings: s}
	reads := s.Read.reads(s.Present)
	options, err := shape.Options(levelplan.Budget{
		Bytes: s.Budget, MaxBlock: s.MaxBlock, Upper: s.Upper, Lower: s.Lower, Reads: reads,
	}, levelplan.Memory{Cache: s.CacheSize})
	if err != nil {
		return r, err
	}
	for _, o := range options {
		r.Options = append(r.Options, newOption(o))
	}
	if err := r.add(fromBudget, options[0].Plan, reads); err != nil {
		return r, err
	}
	families := []string{s.Upper, s.Lower, "bloom"}
	slices.Sort(families)
	for _, family := range slices.Compact(families) {
		uniform, err := shape.Uniform(family, s.Budget)
		if err != nil {
			continue // the budget is too small for filters everywhere
		}
		if err := r.add(uniform.String(), uniform, reads); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *Result) add(name string, plan pebbleext.Plan, reads levelplan.Reads) error {
	p, err := forecast(name, r.Shape, plan, reads)
	r.Plans = append(r.Plans, p)
	return err
}

// forecast describes a plan.
func forecast(name string, shape levelplan.Shape, plan pebbleext.Plan, reads levelplan.Reads) (Plan, error) {
	f, err := shape.Forecast(plan, reads)
	if err != nil {
		return Plan{}, err
	}
	p := newPlan(name, f)
	p.Text = plan.String()
	for i := range p.Levels {
		p.Levels[i].Policy = pebbleext.Uniform(plan.Levels[p.Levels[i].Level]).String()
	}
	return p, nil
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
