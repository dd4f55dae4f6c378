package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/paper"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// paperOptions are the flags of paper.
type paperOptions struct {
	paper.Settings
	Full bool
	report.Outputs
}

const maxTrials = 10_000_000

func newPaperOptions() *paperOptions {
	return &paperOptions{Settings: paper.Settings{Trials: 1000, Seed: 1}}
}

// AddFlags adds the flags to a flag set.
func (o *paperOptions) AddFlags(fs *pflag.FlagSet) {
	fs.Var((*report.Number)(&o.Trials), "trials", "trials where the papers have 10,000, others in proportion")
	fs.StringVar(&o.Figure, "figure", o.Figure, "only the tables and figures with this in their title, such as \"Figure 1:\"")
	fs.BoolVar(&o.Full, "full", o.Full, "as many trials as the papers")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all random keys")
	o.Outputs.AddFlags(fs)
}

// Validate reports the first flag that is out of range.
func (o *paperOptions) Validate() error {
	if o.Full {
		o.Trials = paper.PublishedTrials
	}
	if o.Trials < paper.MinTrials || o.Trials > maxTrials {
		return report.Usagef("--trials %d: must be from %d to %d", o.Trials, paper.MinTrials, maxTrials)
	}
	return nil
}

//go:embed testdata/paper.json
var publishedValues []byte

func newPaperCommand() *cobra.Command {
	o := newPaperOptions()
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Repeat the experiments of the papers and compare with what they print",
		Long: `Paper repeats the experiments of the papers that the filters are built from, on
real filter blocks, and prints each value as published, as predicted and as
measured, with its tolerance. It fails if a value is outside.`,
		Example: `  # All tables and figures in a few minutes
  benchdb paper

  # One figure, with its chart
  benchdb paper --figure "Figure 1:" --out figure1.html

  # As many trials as the papers have, every figure as JSON
  benchdb paper --full --out paper.json

  # Other random keys
  benchdb paper --seed 2`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("trials", "full")
	return cmd
}

func (o *paperOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	published, err := paper.ParsePublished(publishedValues)
	if err != nil {
		return err
	}
	experiments := paper.Experiments(published, o.Figure)
	if len(experiments) == 0 {
		return report.Usagef("--figure %q: no title has it; write such as %q or %q", o.Figure, "Figure 1:", "Table 3")
	}
	r := &paper.Result{Head: report.NewHead("paper"), Settings: o.Settings}
	err = o.Measure(stdout, stderr, r, func() error {
		r.PrintHeader(o.Text)
		err := o.measure(ctx, experiments, r, stderr)
		r.Interrupted = errors.Is(err, context.Canceled)
		if err == nil || r.Interrupted {
			r.PrintSummary(o.Text)
		}
		return err
	})
	return errors.Join(err, r.Verdict())
}

// measure runs the experiments, and prints and adds to r what is done.
func (o *paperOptions) measure(ctx context.Context, experiments []paper.Experiment, r *paper.Result, stderr io.Writer) error {
	bar := report.NewProgress(stderr)
	defer bar.Close()
	before := ""
	for i, e := range experiments {
		bar.Start(fmt.Sprintf("%d/%d", i+1, len(experiments)), e.Cases())
		t, err := e.Run(ctx, r.Settings, bar.Add)
		bar.Close()
		r.Tables = append(r.Tables, t)
		t.Print(o.Text, before)
		before = t.Paper
		if err != nil {
			return err
		}
	}
	return nil
}
