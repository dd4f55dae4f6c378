package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// planOptions are the arguments of plan.
type planOptions struct {
	Directory string
	Shape     string
	Budget    report.Size
	MaxBlock  report.Size
	Families  []string
	Read      string
	Present   float64
	report.Outputs
}

func newPlanOptions() *planOptions {
	return &planOptions{
		Families: []string{levelplan.DefaultUpper, levelplan.DefaultLower},
		Read:     planning.Reader,
	}
}

// AddFlags adds the flags to a flag set.
func (o *planOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Shape, "shape", o.Shape, "JSON file with a shape, in place of a store")
	fs.Var(&o.Budget, "budget", "memory of all filter blocks, such as 64MiB")
	fs.Var(&o.MaxBlock, "max-block", "most bytes of one block, 0 for no limit")
	fs.StringSliceVar(&o.Families, "families", o.Families, "family of all levels, or of the upper and the lower")
	fs.StringVar(&o.Read, "read", o.Read, "how the store is read: reader or get")
	fs.Float64Var(&o.Present, "present", o.Present, "share of lookups of keys that are there, 0 to 1")
	o.Outputs.AddFlags(fs)
}

// takeDirectory reads the argument that is no flag.
func (o *planOptions) takeDirectory(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("%q is one directory too many; plan one store at a time", args[1])
	}
	o.Directory = strings.Join(args, "")
	return nil
}

// Limits of a policy's max=.
const (
	minMaxBlock = 1 << 10
	maxMaxBlock = 1 << 30
)

// Validate reports the first argument that is wrong.
func (o *planOptions) Validate() error {
	switch {
	case o.Directory == "" && o.Shape == "":
		return usagef("name a store's directory, or a file with --shape")
	case o.Directory != "" && o.Shape != "":
		return usagef("--shape %s: a store is named, too; leave one out", o.Shape)
	case o.Budget < 1:
		return usagef("--budget: say how much memory all filter blocks may take, such as 64MiB")
	case o.MaxBlock != 0 && (o.MaxBlock < minMaxBlock || o.MaxBlock > maxMaxBlock):
		return usagef("--max-block %v: must be from %v to %v, or 0", o.MaxBlock, report.Size(minMaxBlock), report.Size(maxMaxBlock))
	case len(o.Families) < 1 || len(o.Families) > 2:
		return usagef("--families: name one or two, such as %s,%s", levelplan.DefaultUpper, levelplan.DefaultLower)
	case !(o.Present >= 0 && o.Present <= 1):
		return usagef("--present %v: must be from 0 to 1", o.Present)
	}
	return checkRead(o.Read)
}

// checkRead checks the flag --read.
func checkRead(read string) error {
	if read != planning.Reader && read != planning.Get {
		return usagef("--read %q: must be %s or %s", read, planning.Reader, planning.Get)
	}
	return nil
}

func (o *planOptions) budget() levelplan.Budget {
	return levelplan.Budget{
		Bytes:    int64(o.Budget),
		MaxBlock: int(o.MaxBlock),
		Upper:    o.Families[0],
		Lower:    o.Families[len(o.Families)-1],
		Reads:    levelplan.Reads{Get: o.Read == planning.Get, Present: o.Present},
	}
}
