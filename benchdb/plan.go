package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// planOptions are the arguments of plan.
type planOptions struct {
	planning.Settings
	directory string
	shapeFile string
	budget    planning.Budget
	report.Outputs
}

func newPlanOptions() *planOptions {
	return &planOptions{
		Settings: planning.Settings{CacheSize: 8 << 20, Family: levelplan.DefaultFamily}, // the cache is Pebble's default
	}
}

// AddFlags adds the flags to a flag set.
func (o *planOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.shapeFile, "shape", o.shapeFile, "JSON file with a shape, in place of a store")
	fs.Var(&o.budget, "budget", "most memory for filters, beside the block cache: a size, a share of the data such as 20%, or bits for each key such as 10bits; by default that of the knee")
	fs.Var((*report.Size)(&o.CacheSize), "cache-size", "size of the store's block cache, to which goes what filters do not take")
	fs.Var((*report.Size)(&o.MaxBlock), "max-block", "most bytes of one block, 0 for no limit")
	fs.StringVar(&o.Family, "family", o.Family, "family of the policies")
	fs.StringVar((*string)(&o.Read), "read", string(o.Read), "how the store is read: get, by pebble.DB.Get, which asks no filter of L6, or reader, by pebbleext.Reader")
	fs.Float64Var(&o.Present, "present", o.Present, "share of lookups of keys that are there, 0 to 1")
	o.Outputs.AddFlags(fs)
}

// takeDirectory reads the argument that is no flag.
func (o *planOptions) takeDirectory(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return report.Usagef("%q is one directory too many; plan one store at a time", args[1])
	}
	if len(args) == 0 {
		return nil
	}
	o.directory = args[0]
	return checkStore(o.directory)
}

// Limits of a policy's max=.
const (
	minMaxBlock = 1 << 10
	maxMaxBlock = 1 << 30
)

// Validate reports the first argument that is wrong.
func (o *planOptions) Validate() error {
	switch {
	case o.directory == "" && o.shapeFile == "":
		return report.Usagef("name a store's directory, or a file with --shape")
	case o.directory != "" && o.shapeFile != "":
		return report.Usagef("--shape %s: a store is named, too; leave one out", o.shapeFile)
	case o.MaxBlock != 0 && (o.MaxBlock < minMaxBlock || o.MaxBlock > maxMaxBlock):
		return report.Usagef("--max-block %v: must be from %v to %v, or 0", report.Size(o.MaxBlock), report.Size(minMaxBlock), report.Size(maxMaxBlock))
	case !(o.Present >= 0 && o.Present <= 1):
		return report.Usagef("--present %v: must be from 0 to 1", o.Present)
	}
	return checkRead(o.Read)
}

// checkRead checks the flag --read, which has no default: the filters of L6 are of
// use to one way only.
func checkRead(read planning.Read) error {
	switch read {
	case planning.Reader, planning.Get:
		return nil
	case "":
		return report.Usagef("--read: say how the store is read: get, by pebble.DB.Get, which asks no filter of L6, or reader, by pebbleext.Reader")
	}
	return report.Usagef("--read %q: must be %s or %s", read, planning.Get, planning.Reader)
}

func completeRead(cmd *cobra.Command) {
	complete(cmd, "read", string(planning.Get), string(planning.Reader))
}

func newPlanCommand() *cobra.Command {
	o := newPlanOptions()
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "Plan the filters of each level from a budget of memory",
		Long: `Plan finds the filters with which lookups read least from disk, in a total
memory of --cache-size and --budget: a level plan of table filters, in the block
cache or resident in memory of their own, filters in the index, or both. The rest
of the memory is the block cache's. Filters take at most --budget. It also shows
what the store's filters waste now, and how much more memory would save.

It needs the shape of a store: how many keys each level has and how much of the
key space its tables span. The shape is that of a store, which is only read and
may be open elsewhere, or of a JSON file:

  {"levels": [{"level": 0, "keys": 2000}, {"level": 5, "keys": 40000, "tables": 3},
              {"level": 6, "keys": 160000, "tables": 12}]}

Each sublevel of L0 is an entry of its own, newest first. An entry may have a
"coverage", the share of lookups within the bounds of its tables (1), and the
"blocks" of its tables: {"data": 40000, "data_bytes": 160000000, "index": 300,
"index_bytes": 1200000}. Without, records have 100 bytes.`,
		Example: `  # A store that is read with pebbleext.Reader, at the knee of the curve
  benchdb plan ./store --read reader

  # From numbers, for a store that is read with pebble.DB.Get
  benchdb plan --shape shape.json --budget 64MiB --read get

  # Bloom filters, no block above 256 KiB, 10 bits a key
  benchdb plan ./store --read reader --budget 10bits --family bloom --max-block 256KiB`,
		Args: o.takeDirectory,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	completeRead(cmd)
	return cmd
}

func (o *planOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	r := &planning.Result{Head: report.NewHead("plan"), Settings: o.Settings}
	return o.Measure(stdout, stderr, r, func() error {
		shape, filters, err := o.shape(ctx, &r.Live)
		if err != nil {
			return err
		}
		if err := r.Compare(shape, filters, o.budget); err != nil {
			return report.Usagef("%w", err) // of the budget or the shape
		}
		r.Print(o.Text)
		return nil
	})
}

// shape returns that of the file, or that of the store with its filters.
func (o *planOptions) shape(ctx context.Context, live *bool) (shape levelplan.Shape, filters *inspect.Report, err error) {
	if o.shapeFile != "" {
		shape, err = readShape(o.shapeFile)
		return shape, nil, err
	}
	s, err := checkpoint.Open(o.directory)
	if err != nil {
		return shape, nil, storeError(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	*live = s.Live
	if shape, err = s.Shape(); err != nil {
		return shape, nil, err
	}
	if len(shape.Levels) == 0 {
		return shape, nil, report.Usagef("%s has no tables to plan for", o.directory)
	}
	now, err := s.Report(ctx)
	return shape, &now, err
}

// readShape reads a JSON file.
func readShape(name string) (shape levelplan.Shape, err error) {
	file, err := os.Open(name)
	if err != nil {
		return shape, report.Usagef("--shape: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&shape); err != nil {
		return shape, report.Usagef("--shape %s: %w; see benchdb plan --help for the form", name, err)
	}
	return shape, nil
}
