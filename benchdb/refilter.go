package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// refilterOptions are the flags of refilter.
type refilterOptions struct {
	Plan   string
	Rate   report.Size
	DryRun bool

	plan policy.Policy
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
		return report.Usagef("--plan is missing; name a policy or level plan, such as --plan bloom:10")
	}
	if o.Rate != 0 && o.Rate < refilter.MinRate {
		return report.Usagef("--rate %v: must be 0, for no limit, or at least %v", o.Rate, report.Size(refilter.MinRate))
	}
	if o.plan, err = policy.Parse(o.Plan); err != nil {
		return report.Usagef("--plan: %w", err)
	}
	return nil
}

func newRefilterCommand() *cobra.Command {
	o := &refilterOptions{}
	cmd := &cobra.Command{
		Use:   "refilter DIR",
		Short: "Give the tables of a store that exists the filters of a plan",
		Long: `Refilter opens the Pebble store in DIR, which nothing else may have open, and
rewrites each table that lacks the filters of the plan within its level. What
the store holds stays the same, whatever happens on the way. After ^C, an error
or a crash the same command goes on with the tables that remain. The store's
program must be set to the same plan, or its compactions will undo the work; one
without Gravel reads the tables without filters.`,
		Example: `  # What there is to do
  benchdb refilter ./store --plan bloom:10 --dry-run

  # Writing at most 50 MiB a second
  benchdb refilter ./store --plan "L0-L5=bloom:14;L6=bloom:10" --rate 50MiB`,
		Args: oneStore,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	complete(cmd, "plan", policy.Examples()...)
	return cmd
}

func oneStore(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return report.Usagef("%d arguments; name the directory of one store, see %s --help", len(args), cmd.CommandPath())
	}
	return checkStore(args[0])
}

// checkStore fails if a directory holds no store, before anything else is asked
// for. Whether it can be opened is seen later.
func checkStore(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return report.Usagef("%s: %w; name the directory of a Pebble store", dir, report.Reason(err))
	}
	if manifests, _ := filepath.Glob(filepath.Join(dir, "MANIFEST-*")); info.IsDir() && len(manifests) > 0 { // a path is no bad pattern
		return nil
	}
	s, err := inspect.Open(dir) // says what is wrong
	if err != nil {
		return storeError(err)
	}
	return s.Close()
}

func (o *refilterOptions) run(ctx context.Context, dir string, stdout, stderr io.Writer) error {
	opts, err := refilter.StoredOptions(dir)
	if err != nil {
		return storeError(err)
	}
	opts.Logger = fatalLogger{stderr}
	survey, err := refilter.Run(ctx, dir, opts, o.plan.Plan, refilter.Settings{DryRun: true})
	if err != nil {
		return storeError(err)
	}
	fmt.Fprintf(stdout, "%s: %d of %d tables lack %s, %s of %s\n", dir, survey.Pending, survey.Tables, o.plan.Text,
		report.Size(survey.PendingBytes).Human(), report.Size(survey.Bytes).Human())
	if survey.Pending == 0 {
		return nil
	}
	if o.DryRun {
		fmt.Fprintf(stdout, "would write about %s in about %s\n",
			report.Size(survey.PendingBytes).Human(), o.estimate(survey.PendingBytes))
		return nil
	}
	return o.rewrite(ctx, dir, opts, survey.PendingBytes, stdout, stderr)
}

func (o *refilterOptions) rewrite(ctx context.Context, dir string, opts *pebble.Options, pending int64, stdout, stderr io.Writer) error {
	bar := report.NewProgress(stderr)
	bar.Start("refiltering", int(pending))
	told := int64(0)
	done, err := refilter.Run(ctx, dir, opts, o.plan.Plan, refilter.Settings{
		BytesPerSecond: int64(o.Rate),
		Progress: func(r refilter.Report) {
			bar.Add(int(r.DoneBytes - told))
			told = r.DoneBytes
		},
	})
	bar.Close()
	fmt.Fprintf(stdout, "rewrote %d of %d tables, wrote %s in %s\n", done.Done, done.Pending,
		report.Size(done.Written).Human(), done.Elapsed.Round(time.Second/10))
	if err != nil {
		fmt.Fprintln(stdout, "the store holds what it held; run the command again for the other tables")
	}
	return err
}

// secondsPerGB is how long 10^9 bytes of a store take: the median of
// BenchmarkRun of pebbleext/refilter, on two cores that were busy with other work.
const secondsPerGB = 11

func (o *refilterOptions) estimate(bytes int64) time.Duration {
	seconds := float64(bytes) / 1e9 * secondsPerGB
	if o.Rate > 0 {
		seconds = max(seconds, float64(bytes)/float64(o.Rate))
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10)
}

// fatalLogger is silent until Pebble cannot go on, which is when it cannot
// write a MANIFEST or log. The store can be opened again.
type fatalLogger struct{ stderr io.Writer }

func (fatalLogger) Infof(string, ...any)  {}
func (fatalLogger) Errorf(string, ...any) {}

func (l fatalLogger) Fatalf(format string, args ...any) {
	text := strings.Fields(fmt.Sprintf(format, args...))
	fmt.Fprintln(l.stderr, "benchdb:", strings.Join(text, " "))
	os.Exit(exitFailure)
}
