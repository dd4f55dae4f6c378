package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// runOptions are the flags of run.
type runOptions struct {
	run.Settings
	filterMemory filterMemory
	report.Outputs
	Dir   string
	Quiet bool

	policies  policy.List
	workloads []ycsb.Workload // by Validate
}

// The ways to load a store.
const (
	loadShape = "shape"
	loadWrite = "write"
)

// newRunOptions returns the defaults. The data is 12 times the block cache.
func newRunOptions() *runOptions {
	return &runOptions{
		Settings: run.Settings{
			Records: 200_000, ValueSize: 1000, CacheSize: 16 << 20, Workloads: ycsb.Names(),
			Operations: 40_000, Absent: 1, Threads: 1, Seed: 1, Load: loadShape,
		},
		filterMemory: fit,
		Outputs:      report.Outputs{HTML: "benchdb-report.html"},
		policies:     policy.NewList("none", "pebble-bloom:10", "bloom:10", "dense:10"),
	}
}

// AddFlags adds the flags to a flag set.
func (o *runOptions) AddFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.Records, "records", o.Records, "records in the store")
	fs.Var(&o.ValueSize, "value-size", "size of a record's value")
	fs.Var(&o.CacheSize, "cache-size", "size of the block cache")
	fs.Var(&o.filterMemory, "filter-memory", "memory for resident filters, beside the block cache; fit: as much as they need; 0: none")
	fs.Var(&o.policies, "policies", "policies or level plans, separated by spaces")
	fs.StringSliceVar(&o.Workloads, "workloads", o.Workloads, "workloads to run")
	fs.IntVar(&o.Operations, "operations", o.Operations, "operations of each workload")
	fs.Float64Var(&o.Absent, "absent", o.Absent, "share of absent keys in workload absent, 0 to 1")
	fs.IntVar(&o.Threads, "threads", o.Threads, "threads; with one, counts of Get repeat")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of values and operations")
	fs.StringVar(&o.Dir, "dir", o.Dir, "new or empty directory to keep the stores in")
	fs.BoolVar(&o.Direct, "direct", o.Direct, "read past the page cache, with O_DIRECT")
	fs.StringVar(&o.Load, "load", o.Load, "shape: same tables for all policies; write: by compactions")
	fs.BoolVar(&o.SweepCache, "sweep-cache", o.SweepCache, "also count the reads of read-only workloads with other sizes of the block cache")
	fs.BoolVar(&o.SweepMemory, "sweep-memory", o.SweepMemory, "also measure read-only workloads with block caches from a sixteenth of the filters to twice them")
	o.Outputs.AddFlags(fs)
	fs.BoolVar(&o.Quiet, "quiet", o.Quiet, "no progress, no word about the files that are written")
}

const (
	maxThreads   = 1024
	minCacheSize = 64 << 10
	maxValueSize = 16 << 20
)

// Validate reports the first flag that is out of range.
func (o *runOptions) Validate() error {
	switch {
	case o.Records < store.MinRecords:
		return usagef("--records %d: must be at least %d", o.Records, store.MinRecords)
	case o.ValueSize < 1 || o.ValueSize > maxValueSize:
		return usagef("--value-size %v: must be from 1 to %v", o.ValueSize, report.Size(maxValueSize))
	case o.CacheSize < minCacheSize:
		return usagef("--cache-size %v: must be at least %v", o.CacheSize, report.Size(minCacheSize))
	case o.Operations < 1:
		return usagef("--operations %d: must be at least 1", o.Operations)
	case !(o.Absent >= 0 && o.Absent <= 1):
		return usagef("--absent %v: must be from 0 to 1", o.Absent)
	case o.Threads < 1 || o.Threads > maxThreads:
		return usagef("--threads %d: must be from 1 to %d", o.Threads, maxThreads)
	case o.Load != loadShape && o.Load != loadWrite:
		return usagef("--load %q: must be %s or %s", o.Load, loadShape, loadWrite)
	}
	o.Policies = o.policies.Texts()
	if err := o.parseWorkloads(); err != nil {
		return err
	}
	switch {
	case (o.SweepCache || o.SweepMemory) && !slices.ContainsFunc(o.workloads, run.Sweeps):
		return usagef("--sweep-cache and --sweep-memory: name a workload that only looks up in --workloads, %s or C", ycsb.AbsentName)
	case o.SweepMemory && !slices.ContainsFunc(o.policies.Policies, policy.Policy.Filters):
		return usagef("--sweep-memory: name a policy that has filters in --policies, such as bloom:10")
	}
	return nil
}

func (o *runOptions) parseWorkloads() error {
	for _, name := range o.Workloads {
		w, err := ycsb.Parse(strings.TrimSpace(name))
		if err != nil {
			return usagef("--workloads: %w", err)
		}
		if w.Name == ycsb.AbsentName {
			w.Absent = o.Absent
		}
		o.workloads = append(o.workloads, w)
	}
	if len(o.workloads) == 0 {
		return usagef("--workloads: name at least one of %s", strings.Join(ycsb.Names(), ","))
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
them, through pebble.DB.Get and through pebbleext.Reader. It counts the reads
below the block cache and the answers of the filters, and times the operations
in a pass of their own. It prints tables, and writes a page with charts.

Policies are Gravel's, such as bloom:10 or L0-L5=bloom:14;L6=bloom:8; none; and
Pebble's own Bloom filter, pebble-bloom:10.`,
		Example: `  # No filter, Pebble's own and Gravel's Bloom filter, all workloads
  benchdb run

  # Two policies and a level plan, absent keys only
  benchdb run --workloads absent --policies "none bloom:9.5 L0-L5=bloom:14;L6=bloom:8"

  # Half of the keys absent, reads from the device, every figure as JSON
  benchdb run --workloads absent --absent 0.5 --direct --json result.json

  # Where filters stop paying: reads by size of the block cache
  benchdb run --workloads absent,C --sweep-cache --html sweep.html

  # Where filters do not fit their memory: bytes and time by size of the cache
  benchdb run --workloads absent,C --sweep-memory --value-size 64

  # A store made by writes and compactions, kept for other tools
  benchdb run --load write --records 1000000 --value-size 200 --dir ./stores`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func (o *runOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	// First, because the files may be in the same directory.
	space, err := store.OpenSpace(o.Dir)
	if err != nil {
		return usagef("--dir: %w", err)
	}
	defer func() { err = errors.Join(err, space.Close()) }()
	if o.Quiet {
		stderr = io.Discard
	}
	r := &run.Result{Head: report.NewHead("run"), Settings: o.Settings, Rates: policy.Curves()}
	return o.Measure(stdout, stderr, r, func() error {
		if err := o.checkSpace(space.Dir); err != nil {
			return err
		}
		return o.measure(ctx, space, r, stderr)
	})
}

// checkSpace fails if the directory cannot hold the stores or be read as asked.
func (o *runOptions) checkSpace(dir string) error {
	if o.Direct {
		if err := diskio.CheckDirect(dir); err != nil {
			return usagef("--direct: %w; choose another place with --dir", err)
		}
	}
	usage, err := vfs.Default.GetDiskUsage(dir)
	if err != nil {
		return err
	}
	// Twice the data is what compactions of a copy can need at worst.
	need := uint64(o.storeSettings().DataSize()) * uint64(len(o.Policies)+2)
	if need > usage.AvailBytes {
		return usagef("--records %d of --value-size %v need about %s in %s, which has %s; choose fewer, or another place with --dir",
			o.Records, o.ValueSize, report.Size(need).Human(), dir, report.Size(usage.AvailBytes).Human())
	}
	return nil
}

// measure loads the stores and runs the workloads, and prints and adds to r
// what is done.
func (o *runOptions) measure(ctx context.Context, space *store.Space, r *run.Result, stderr io.Writer) error {
	r.PrintHeader(o.Text)
	bench := &run.Bench{
		Settings: o.storeSettings(), Operations: o.Operations, Threads: o.Threads, Seed: o.Seed, Direct: o.Direct,
		Scratch: space.Scratch,
	}
	bar := report.NewProgress(stderr)
	defer bar.Close()

	bar.Start("loading", o.Records*len(o.Policies))
	for i, p := range o.policies.Policies {
		st, err := o.load(ctx, space.Store(i, p.Text), p, bench.Settings, bar.Add, r)
		if err != nil {
			return err
		}
		bench.Stores = append(bench.Stores, st)
	}
	bar.Close()
	r.PrintStores(o.Text)
	bench.FilterMemory = o.filterMemory.bytes(r)
	r.Settings.FilterMemory = report.Size(bench.FilterMemory)

	bench.Progress = bar.Add
	for _, w := range o.workloads {
		bar.Start(w.Name, bench.Steps(w))
		done, err := bench.Run(ctx, w)
		bar.Close()
		r.Workloads = append(r.Workloads, done)
		done.Print(o.Text)
		if err != nil {
			return err
		}
	}
	if err := o.sweep(ctx, bench, r, bar); err != nil {
		return err
	}
	run.Legend.Print(o.Text)
	return nil
}

// sweep measures and prints the sweeps that are asked for.
func (o *runOptions) sweep(ctx context.Context, bench *run.Bench, r *run.Result, bar *report.Progress) error {
	defer func() {
		for _, t := range r.Sweeps() {
			t.Print(o.Text)
		}
	}()
	if o.SweepCache {
		if err := sweep(ctx, bench.CacheSweep(), o.workloads, &r.CacheSweep, bar); err != nil {
			return err
		}
	}
	if o.SweepMemory {
		return sweep(ctx, bench.MemorySweep(r.FilterBytes()), o.workloads, &r.MemorySweep, bar)
	}
	return nil
}

// sweep adds to rows what a sweep measures of the workloads that only look up.
func sweep(ctx context.Context, s *run.Sweep, workloads []ycsb.Workload, rows *[]run.SweepRow, bar *report.Progress) error {
	for _, w := range workloads {
		if !run.Sweeps(w) {
			continue
		}
		bar.Start(w.Name+", "+s.Name, s.Steps())
		done, err := s.Run(ctx, w)
		bar.Close()
		*rows = append(*rows, done...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *runOptions) load(ctx context.Context, dir string, p policy.Policy, s store.Settings, progress func(int), r *run.Result) (*store.Store, error) {
	build := store.Build
	if o.Load == loadWrite {
		build = store.Write
	}
	begin := time.Now()
	st, err := build(ctx, dir, p, s, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Text, err)
	}
	elapsed := time.Since(begin)
	d, err := st.Describe()
	if err != nil {
		return nil, err
	}
	d.LoadSeconds = elapsed.Seconds()
	r.Stores = append(r.Stores, d)
	return st, nil
}

func (o *runOptions) storeSettings() store.Settings {
	return store.Settings{
		Records: o.Records, CacheSize: int64(o.CacheSize),
		ValueSize: int(o.ValueSize), Values: ycsb.NewValues(int(o.ValueSize), o.Seed),
	}
}
