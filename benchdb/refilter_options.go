package main

import (
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// refilterOptions are the flags of refilter.
type refilterOptions struct {
	Plan   string
	Rate   report.Size
	DryRun bool

	plan pebbleext.Plan
}

// AddFlags adds the flags to a flag set.
func (o *refilterOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Plan, "plan", "", "policy or level plan of the filters")
	fs.Var(&o.Rate, "rate", "most bytes to write in a second; 0 is no limit")
	fs.BoolVar(&o.DryRun, "dry-run", false, "print what there is to do, write nothing")
}

// Validate reports the first flag that is wrong and parses the plan.
func (o *refilterOptions) Validate() (err error) {
	if o.Plan == "" {
		return usagef("--plan is missing; name a policy or level plan, such as --plan bloom:10")
	}
	if o.Rate != 0 && o.Rate < refilter.MinRate {
		return usagef("--rate %v: must be 0, for no limit, or at least %v", o.Rate, report.Size(refilter.MinRate))
	}
	if o.plan, err = pebbleext.ParsePlan(o.Plan); err != nil {
		return usagef("--plan: %w", err)
	}
	return nil
}
