package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/pebbleext/inspect"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

func newPlanCommand() *cobra.Command {
	o := newPlanOptions()
	cmd := &cobra.Command{
		Use:   "plan [DIRECTORY]",
		Short: "Plan the filters of each level from a budget of memory",
		Long: `Plan finds the level plan that wastes the fewest reads with the memory given,
for the shape of a store: how many keys each level has and how much of the key
space its tables span. The shape is that of a store, which is only read and must
not be open elsewhere, or of a JSON file:

  {"levels": [{"level": 0, "keys": 2000}, {"level": 5, "keys": 40000, "tables": 3},
              {"level": 6, "keys": 160000, "tables": 12}]}

Each sublevel of L0 is an entry of its own, newest first. An entry may have a
"coverage", the share of lookups within the bounds of its tables (1), and how
often it was "asked" for each lookup, about keys that it does not hold.`,
		Example: `  # From a store
  benchdb plan ./store --budget 64MiB

  # From numbers, for a store that is read with pebble.DB.Get
  benchdb plan --shape shape.json --budget 64MiB --read get

  # Bloom filters above, ribbons below, no block above 256 KiB
  benchdb plan ./store --budget 64MiB --families bloom,ribbon --max-block 256KiB`,
		Args: o.takeDirectory,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.OutOrStdout())
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func (o *planOptions) run(stdout io.Writer) (err error) {
	if err := o.Open(stdout); err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	shape, err := o.shape()
	if err != nil {
		return usageError{err}
	}
	r, err := planning.Compare(shape, o.budget())
	if err != nil {
		return usageError{err} // of the budget or the shape
	}
	r.Print(o.Text)
	return o.Write(r, planning.Page(r))
}

func (o *planOptions) shape() (shape levelplan.Shape, err error) {
	if o.Shape != "" {
		return readShape(o.Shape)
	}
	s, err := inspect.Open(o.Directory)
	if err != nil {
		return shape, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	shape, err = s.Shape()
	if err == nil && len(shape.Levels) == 0 {
		err = fmt.Errorf("%s has no tables to plan for", o.Directory)
	}
	return shape, err
}

// readShape reads a JSON file.
func readShape(name string) (shape levelplan.Shape, err error) {
	file, err := os.Open(name)
	if err != nil {
		return shape, fmt.Errorf("--shape: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&shape); err != nil {
		return shape, fmt.Errorf("--shape %s: %w; see benchdb plan --help for the form", name, err)
	}
	return shape, nil
}
