package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	CacheSize report.Size
	Plan      string
	Read      planning.Read
	report.Outputs
}

func newInspectCommand() *cobra.Command {
	o := &inspectOptions{CacheSize: 8 << 20} // Pebble's default
	cmd := &cobra.Command{
		Use:   "inspect DIR",
		Short: "Show the filters of a store by level, and what they let pass",
		Long: `Inspect reads all filters of a store and asks them for random absent keys.
It writes nothing to the store. Of one that is open elsewhere it takes a view by
links, without the write-ahead log, and locks nothing.`,
		Example: `  benchdb inspect ./store

  # Beside a plan, for lookups with pebble.DB.Get
  benchdb inspect ./store --plan "L0-L5=twochoice:14;L6=none" --read get`,
		Args: oneStore,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	completeRead(cmd)
	complete(cmd, "plan", policy.Examples()...)
	return cmd
}

// AddFlags adds the flags to a flag set.
func (o *inspectOptions) AddFlags(fs *pflag.FlagSet) {
	fs.Var(&o.CacheSize, "cache-size", "size of the store's block cache")
	fs.StringVar(&o.Plan, "plan", o.Plan, "level plan to compare with")
	fs.StringVar((*string)(&o.Read), "read", string(o.Read), "how the store is read, get or reader; by default both are shown")
	o.Outputs.AddFlags(fs)
}

func (o *inspectOptions) run(ctx context.Context, dir string, stdout, stderr io.Writer) error {
	if o.Read != "" {
		if err := checkRead(o.Read); err != nil {
			return err
		}
	}
	var plan *policy.Policy
	if o.Plan != "" {
		parsed, err := policy.Parse(o.Plan)
		if err != nil {
			return report.Usagef("--plan: %w", err)
		}
		plan = &parsed
	}
	r := &planning.Inspection{
		Head: report.NewHead("inspect"), Read: o.Read, CacheShard: levelplan.CacheShard(int64(o.CacheSize)),
	}
	return o.Measure(stdout, stderr, r, func() (err error) {
		s, err := checkpoint.Open(dir)
		if err != nil {
			return storeError(err)
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		if err := r.Inspect(ctx, s, plan); err != nil {
			return err
		}
		r.Print(o.Text)
		return nil
	})
}
