package main

import (
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/paper"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// paperOptions are the flags of paper.
type paperOptions struct {
	Trials int
	Full   bool
	Seed   uint64
	report.Outputs
}

const maxTrials = 10_000_000

func newPaperOptions() *paperOptions { return &paperOptions{Trials: 1000, Seed: 1} }

// AddFlags adds the flags to a flag set.
func (o *paperOptions) AddFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.Trials, "trials", o.Trials, "trials where the papers have 10,000, others in proportion")
	fs.BoolVar(&o.Full, "full", o.Full, "as many trials as the papers")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all random keys")
	o.Outputs.AddFlags(fs)
}

// Validate reports the first flag that is out of range.
func (o *paperOptions) Validate() error {
	if o.Trials < paper.MinTrials || o.Trials > maxTrials {
		return usagef("--trials %d: must be from %d to %d", o.Trials, paper.MinTrials, maxTrials)
	}
	return nil
}

func (o *paperOptions) settings() paper.Settings {
	s := paper.Settings{Seed: o.Seed, Trials: o.Trials}
	if o.Full {
		s.Trials = paper.PublishedTrials
	}
	return s
}
