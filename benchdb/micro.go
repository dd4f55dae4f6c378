package main

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// microOptions are the flags of micro.
type microOptions struct {
	micro.Settings // Policies and Keys by Validate
	report.Outputs

	policies []string
	bench    *micro.Bench // by Validate
}

func newMicroOptions() *microOptions {
	return &microOptions{
		policies: []string{"none pebble-bloom:10 bloom:8 bloom:10 bloom:16 twochoice:10 dense:8 dense:10 ribbon:8 compressed:8 binaryfuse:8 binaryfuse:16"},
		Settings: micro.Settings{
			Baseline: micro.BaselineText, Keys: report.Numbers{10e3, 100e3, 1e6, 10e6},
			KeySize:   16,
			ColdBytes: 1 << 30, Rounds: 100, AbsentKeys: 10_000_000, Seed: 1,
		},
	}
}

// AddFlags adds the flags to a flag set.
func (o *microOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.policies, "policies", o.policies, "policies to compare, separated by spaces; ratios are to "+micro.BaselineText)
	fs.Var(&o.Keys, "keys", "numbers of keys in a filter")
	fs.Var((*report.Number)(&o.KeySize), "key-size", "size of a key in bytes")
	fs.Var(&o.ColdBytes, "cold", "size of the filters that are asked at random, twice of which must fit in memory; 0 for none")
	fs.Var((*report.Number)(&o.Rounds), "rounds", "rounds in which every policy has its turn; fewer build large filters")
	fs.Var((*report.Number)(&o.AbsentKeys), "absent-keys", "absent keys asked for each false-positive rate")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of keys")
	o.Outputs.AddFlags(fs)
}

const (
	minFilterKeys = 100
	maxFilterKeys = 1_000_000_000
	maxKeySize    = 64 << 10
	maxRounds     = 1_000_000
	maxAbsentKeys = 2_000_000_000
)

// Validate reports the first flag that is out of range.
func (o *microOptions) Validate() error {
	switch {
	case o.ColdBytes != 0 && (o.ColdBytes < micro.MinColdBytes || o.ColdBytes > 1<<40):
		return report.Usagef("--cold %v: must be 0, or from %v to 1TiB", o.ColdBytes, report.Size(micro.MinColdBytes))
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return report.Usagef("--rounds %d: must be from 1 to %d", o.Rounds, maxRounds)
	case o.KeySize < micro.MinKeySize || o.KeySize > maxKeySize:
		return report.Usagef("--key-size %d: must be from %d to %d", o.KeySize, micro.MinKeySize, maxKeySize)
	case o.AbsentKeys < 1 || o.AbsentKeys > maxAbsentKeys:
		return report.Usagef("--absent-keys %d: must be from 1 to %d", o.AbsentKeys, maxAbsentKeys)
	}
	if err := o.parse(); err != nil {
		return err
	}
	return o.checkMemory()
}

func (o *microOptions) parse() error {
	policies, baseline, err := micro.ParseList(strings.Join(o.policies, " "))
	if err != nil {
		return report.Usagef("--policies: %w", err)
	}
	for _, p := range policies {
		o.Policies = append(o.Policies, p.Text)
	}
	o.bench = &micro.Bench{
		Policies: policies, Baseline: baseline, Rounds: o.Rounds,
		AbsentKeys: o.AbsentKeys, Cores: runtime.GOMAXPROCS(0), Seed: o.Seed,
	}
	for _, n := range o.Keys {
		if n < minFilterKeys || n > maxFilterKeys {
			return report.Usagef("--keys %d: must be from %d to 1G, such as 10k or 1M", n, minFilterKeys)
		}
	}
	return nil
}

// checkMemory fails if the machine has too little memory, where it can tell.
func (o *microOptions) checkMemory() error {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	info, err := proc.Meminfo()
	if err != nil || info.MemAvailable == nil {
		return nil
	}
	available := *info.MemAvailable << 10
	// Keys, the hashes and scratch of a writer, and the blocks of all policies.
	most := slices.Max(o.Keys)
	filters := uint64(most) * uint64(o.KeySize+64+2*len(o.Policies))
	if need := max(filters, 2*uint64(o.ColdBytes)); need > available {
		return report.Usagef("--keys %d and --cold %v need about %s of memory, and %s are free; choose less",
			most, o.ColdBytes, report.Size(need).Human(), report.Size(available).Human())
	}
	return nil
}

func newMicroCommand() *cobra.Command {
	o := newMicroOptions()
	cmd := &cobra.Command{
		Use:   "micro",
		Short: "Compare filters alone: size, false-positive rate, speed",
		Long: `Micro builds filters of each policy and asks them, without a store: bits per
key, false-positive rate beside the least that any filter of that size can have,
time and memory of building, and the time of MayContain for absent and present
keys, with one filter in the cache and with filters picked at random from more
memory than caches hold, on one core and on all.

Besides Gravel's policies there are pebble-bloom:10, Pebble's own Bloom filter;
binaryfuse:8 and binaryfuse:16, binary fuse filters with fingerprints of so many
bits; and none, which shows what the measuring itself takes.`,
		Example: `  # The usual policies
  benchdb micro

  # Two policies, one size of filter, only in the cache
  benchdb micro --policies "bloom:9.5 bloom:1%" --keys 50k --cold 0

  # Before and after a change of the code
  benchdb micro --out old.txt; ...; benchdb micro --out new.txt
  benchstat old.txt new.txt`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	complete(cmd, "policies", append(policy.Examples(), "binaryfuse:8", "binaryfuse:16")...)
	return cmd
}

func (o *microOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	r := &micro.Result{
		Head: report.NewHead("micro"), Settings: o.Settings,
		Builds: []micro.Builds{}, Queries: []micro.Queries{},
	}
	return o.Measure(stdout, stderr, r, func() error {
		defer r.NoteLoad(o.Text, report.StartLoad())
		return r.Run(ctx, o.bench, o.Text, report.NewProgress(stderr))
	})
}
