package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// runOptions are the flags of run.
type runOptions struct {
	run.Settings
	report.Outputs
	Store   string
	Details bool

	policies  policy.List
	workloads []ycsb.Workload   // by Validate
	bucket    objectstore.Place // by Validate
}

// newRunOptions returns the defaults: Pebble's own size of the block cache, and
// data of 15 times as much.
func newRunOptions() *runOptions {
	return &runOptions{
		Settings: run.Settings{
			Records: 1_000_000, ValueSize: 100, Memory: report.Sizes{8 << 20}, Workloads: ycsb.UsualNames(),
			Operations: 20_000, Rounds: 1, Absent: 1, Threads: report.Numbers{1}, Seed: 1, Load: run.LoadShape,
		},
		Outputs:  report.Outputs{Files: []string{"benchdb-report.html"}},
		policies: policy.NewList("none", "pebble-bloom:10", "default"),
	}
}

// AddFlags adds the flags to a flag set.
func (o *runOptions) AddFlags(fs *pflag.FlagSet) {
	fs.Var((*report.Number)(&o.Records), "records", "records in the store")
	fs.Var(&o.ValueSize, "value-size", "size of a record's value")
	fs.Var((*report.Number)(&o.KeySize), "key-size", "size of a key in bytes; 0 for YCSB's own keys of up to 23")
	fs.Var((*report.Number)(&o.Split), "split", "bytes of a key that a Split of the comparer takes for its prefix; 0 for all")
	fs.Var(&o.Memory, "memory", "memory for block cache and filters together, such as 2MiB,4MiB,8MiB; several sizes make charts")
	fs.Var(&o.policies, "policies", "policies or level plans, separated by spaces")
	fs.StringSliceVar(&o.Workloads, "workloads", o.Workloads, "workloads to run, of "+strings.Join(ycsb.Names(), ","))
	fs.Var(&o.Distribution, "distribution", "of the keys that all workloads ask for: zipfian, latest or uniform; by default each its own")
	fs.Var((*report.Number)(&o.Operations), "operations", "operations of each workload")
	fs.Var((*report.Number)(&o.Warmup), "warmup", "operations that go before those; by default a quarter as many")
	fs.Var((*report.Number)(&o.Rounds), "rounds", "how often each policy and lookup is opened and measured")
	fs.Var(&o.Rate, "rate", "timed operations that arrive in a second, so that slow ones make others wait; 0 for one after the other")
	fs.Float64Var(&o.Absent, "absent", o.Absent, "share of absent keys in workload absent, 0 to 1")
	fs.Var(&o.Threads, "threads", "numbers of threads, such as 1,2,4; with one, counts of Get repeat")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of values and operations")
	fs.StringVar(&o.Store, "store", o.Store, "directory to keep the stores in, which are measured again if they are there")
	fs.BoolVar(&o.Direct, "direct", o.Direct, "read past the page cache, with O_DIRECT")
	fs.StringVar(&o.Load, "load", o.Load, "shape: same tables for all policies; write: by compactions")
	fs.BoolVar(&o.Details, "details", o.Details, "also print the stores, and all figures of each policy and lookup")
	fs.StringVar(&o.Remote, "remote", o.Remote, "tables in object storage: s3://bucket/prefix without objects, with ?endpoint=URL for a server other than AWS; local: a server in this process")
	o.Outputs.AddFlags(fs)
}

const (
	maxThreads   = 1024
	minMemory    = 64 << 10
	maxValueSize = 16 << 20
)

// Validate reads the workloads and reports the first flag that is wrong.
func (o *runOptions) Validate(given func(flag string) bool) error {
	if err := o.validateRemote(given); err != nil {
		return err
	}
	if !given("warmup") { // enough to open every table and to fill the cache
		o.Warmup = max(o.Operations/4, 100)
	}
	o.Policies = o.policies.Texts()
	if err := o.readWorkloads(); err != nil {
		return err
	}
	switch {
	case o.Records < store.MinRecords:
		return report.Usagef("--records %d: must be at least %d", o.Records, store.MinRecords)
	case o.ValueSize < 1 || o.ValueSize > maxValueSize:
		return report.Usagef("--value-size %v: must be from 1 to %v", o.ValueSize, report.Size(maxValueSize))
	case o.KeySize != 0 && (o.KeySize < ycsb.MinKeySize || o.KeySize > maxKeySize):
		return report.Usagef("--key-size %d: must be 0, or from %d to %d", o.KeySize, ycsb.MinKeySize, maxKeySize)
	case o.Split < 0 || o.Split > o.KeySize.Size():
		return report.Usagef("--split %d: must be from 0 to %d, the size of a key", o.Split, o.KeySize.Size())
	case o.Split > o.KeySize.PrefixLength(uint64(o.Records)) && slices.ContainsFunc(o.workloads, func(w ycsb.Workload) bool { return w.Scans == ycsb.Prefixes }):
		return report.Usagef("--split %d: scans of prefixes ask for %d bytes of so many records; write that or less",
			o.Split, o.KeySize.PrefixLength(uint64(o.Records)))
	case slices.Min(o.Memory) < minMemory:
		return report.Usagef("--memory %v: must be at least %v", slices.Min(o.Memory), report.Size(minMemory))
	case o.Operations < 1:
		return report.Usagef("--operations %d: must be at least 1", o.Operations)
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return report.Usagef("--rounds %d: must be from 1 to %d", o.Rounds, maxRounds)
	case !(o.Absent >= 0 && o.Absent <= 1):
		return report.Usagef("--absent %v: must be from 0 to 1", o.Absent)
	case slices.ContainsFunc(o.Threads, func(n report.Number) bool { return n < 1 || n > maxThreads }):
		return report.Usagef("--threads %v: must be from 1 to %d", o.Threads.String(), maxThreads)
	case o.Load != run.LoadShape && o.Load != run.LoadWrite:
		return report.Usagef("--load %q: must be %s or %s", o.Load, run.LoadShape, run.LoadWrite)
	}
	return o.validateRemoteWorkloads()
}

// readWorkloads reads the names of --workloads.
func (o *runOptions) readWorkloads() error {
	for i, name := range o.Workloads {
		w, err := ycsb.Parse(strings.TrimSpace(name))
		if err != nil {
			return report.Usagef("--workloads: %w%s", err, suggest(name, ycsb.Names()))
		}
		if w.Name == ycsb.AbsentName {
			w.Absent = o.Absent
		}
		if o.Distribution != "" {
			w.Distribution = o.Distribution
		}
		if slices.ContainsFunc(o.workloads, func(other ycsb.Workload) bool { return other.Name == w.Name }) {
			return report.Usagef("--workloads: there are two %s; name each once", w.Name)
		}
		o.Workloads[i], o.workloads = w.Name, append(o.workloads, w)
	}
	if len(o.workloads) == 0 {
		return report.Usagef("--workloads: name at least one of %s", strings.Join(ycsb.Names(), ","))
	}
	return nil
}

func newRunCommand() *cobra.Command {
	o := newRunOptions()
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run workloads on a store and count the disk reads that filters skip",
		Long: `Run builds a Pebble store for each policy, with the same tables and keys on
every level, and runs point reads of absent keys and YCSB's workloads A to F on
them. It counts the reads below the block cache and the answers of the filters,
and times the operations in a pass of their own. Every contender has the same
memory for blocks and filters: no filter, and Pebble's own Bloom filter, through
pebble.DB.Get; the latter through an iterator that asks L6's filters, too; and
Gravel's policies through Get and through pebbleext.DB. It prints a line for each
workload, and writes a page with charts.

Policies are Gravel's, such as bloom:10 or L0-L5=bloom:14;L6=bloom:8; none; and
Pebble's own Bloom filter, pebble-bloom:10.`,
		Example: `  # No filter, Pebble's own and Gravel's, all workloads
  benchdb run

  # Two policies and a level plan, half of the keys absent, every figure
  benchdb run --workloads absent --absent 0.5 --policies "none bloom:9.5 L0-L5=bloom:14;L6=bloom:8" --details

  # How much memory it takes
  benchdb run --workloads absent,C --memory 1MiB,2MiB,4MiB,8MiB

  # Stores that are made once; five openings of each, with 1, 2 and 4 threads
  benchdb run --store ./stores --workloads B --threads 1,2,4 --rounds 5

  # 20,000 lookups a second arrive: the time of those that wait
  benchdb run --workloads C --rate 20k --details

  # What filters cost writers
  benchdb run --load write --rounds 7

  # Scans of the keys that begin alike, with prefix filters and without
  benchdb run --workloads prefix,prefix-absent --policies "none none;prefix=length:13"

  # Tables in object storage: requests and dollars, warm and after a restart
  benchdb run --remote local

  # Every figure, a table for a spreadsheet, and a file for benchstat
  benchdb run --out result.json,result.csv,result.txt`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(cmd.Flags().Changed); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	complete(cmd, "workloads", ycsb.Names()...)
	complete(cmd, "policies", policy.Examples()...)
	complete(cmd, "distribution", ycsb.Distributions()...)
	complete(cmd, "load", run.LoadShape, run.LoadWrite)
	return cmd
}

func (o *runOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	// First, because the files may be in the same directory.
	space, err := store.OpenSpace(o.Store)
	if err != nil {
		return report.Usagef("--store: %w", err)
	}
	defer func() { err = errors.Join(err, space.Close()) }()
	if o.Direct {
		if err := diskio.CheckDirect(space.Dir); err != nil {
			return report.Usagef("--direct: %w; choose another place with --store", err)
		}
	}
	r := &run.Result{Head: report.NewHead("run"), Settings: o.Settings}
	return o.Measure(stdout, stderr, r, func() (err error) {
		load := report.StartLoad()
		bucket, closeBucket, err := o.openBucket(ctx, space.Scratch)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeBucket()) }()
		bar := report.NewProgress(stderr)
		defer bar.Close()
		err = r.Run(ctx, run.Inputs{
			Policies: o.policies.Policies, Workloads: o.workloads, Space: space, Bucket: bucket, Latency: o.bucket.Latency,
			Details: o.Details, Text: o.Text, Stderr: stderr, Bar: bar,
		})
		if len(r.Workloads)+len(r.Remote) > 0 {
			r.NoteLoad(o.Text, load)
		}
		return err
	})
}
