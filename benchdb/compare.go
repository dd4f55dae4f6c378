package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gravelkv/gravel/benchdb/internal/compare"
)

// errWorse tells that a regression exceeds --fail-on.
var errWorse = errors.New("worse by more than --fail-on allows")

func newCompareCommand() *cobra.Command {
	threshold := percentage(unset)
	cmd := &cobra.Command{
		Use:   "compare OLD.json NEW.json ...",
		Short: "Compare results of benchdb run or micro",
		Long: `Compare compares .json files that benchdb run or benchdb micro wrote with
--out: each with the first. An argument may be several files of the same thing,
separated by commas; more files make narrower confidence intervals.

Medians and their 95 % confidence intervals are benchstat's, and so is the
Mann-Whitney U test of times: ~ means that the difference may be by chance.
Rounds of one run share what the machine did meanwhile, so give four files or
more of each side if times matter. Counts, such as reads, are exact where a run
repeats them; those of another seed, and of Gravel's filters, which draw a seed
for each block, have the interval of a random sample. Figures that were measured
with unlike settings, or times of unlike machines, are shown and not judged: n/a.`,
		Example: `  benchdb compare old.json new.json

  # In continuous integration: fail if anything is worse by more than 10 %
  benchdb compare --fail-on 10% old1.json,old2.json new1.json,new2.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return compareFiles(cmd.OutOrStdout(), args, threshold)
		},
	}
	cmd.Flags().Var(&threshold, "fail-on", "exit with status 1 if a significant regression exceeds this")
	return cmd
}

func compareFiles(stdout io.Writer, args []string, threshold percentage) error {
	if len(args) < 2 {
		return usagef("name at least two files, such as old.json new.json")
	}
	var groups []compare.Group
	for _, arg := range args {
		g, err := compare.Read(strings.Split(arg, ","))
		if err != nil {
			return usageError{err}
		}
		if len(groups) > 0 && g.Command() != groups[0].Command() {
			return usagef("%s is of %s, %s of %s; compare results of one command", args[0], groups[0].Command(), arg, g.Command())
		}
		groups = append(groups, g)
	}
	worse := 0
	for i, g := range groups[1:] {
		rows := compare.Compare(groups[0], g)
		if len(rows) == 0 {
			return usagef("%s and %s have no policy and workload in common", args[0], args[i+1])
		}
		fmt.Fprintf(stdout, "old: %s\nnew: %s\n", args[0], args[i+1])
		for _, d := range groups[0].Differences(g) {
			fmt.Fprintf(stdout, "settings differ, %s: %v and %v\n", d.Setting, d.Old, d.New)
		}
		compare.Print(stdout, rows, float64(threshold)/100)
		for _, r := range rows {
			if r.Worse(float64(threshold) / 100) {
				worse++
			}
		}
	}
	if worse > 0 {
		return fmt.Errorf("%w: %d figures", errWorse, worse)
	}
	return nil
}

// percentage is a flag for a share in percent.
type percentage float64

// unset is a share that nothing exceeds.
var unset = math.Inf(1)

// Set implements pflag.Value.
func (p *percentage) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(v >= 0 && v <= 1e6) {
		return fmt.Errorf("%q is no percentage; write one from 0%%, such as 5%%", text)
	}
	*p = percentage(v)
	return nil
}

// String implements pflag.Value.
func (p *percentage) String() string {
	if float64(*p) == unset {
		return ""
	}
	return strconv.FormatFloat(float64(*p), 'g', -1, 64) + "%"
}

// Type implements pflag.Value.
func (p *percentage) Type() string { return "percentage" }
