package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
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

// The ways to load a store.
const (
	loadShape = "shape"
	loadWrite = "write"
)

// newRunOptions returns the defaults: Pebble's own size of the block cache, and
// data of 15 times as much.
func newRunOptions() *runOptions {
	return &runOptions{
		Settings: run.Settings{
			Records: 1_000_000, ValueSize: 100, Memory: report.Sizes{8 << 20}, Workloads: ycsb.UsualNames(),
			Operations: 20_000, Rounds: 1, Absent: 1, Threads: report.Numbers{1}, Seed: 1, Load: loadShape,
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
		return usagef("--records %d: must be at least %d", o.Records, store.MinRecords)
	case o.ValueSize < 1 || o.ValueSize > maxValueSize:
		return usagef("--value-size %v: must be from 1 to %v", o.ValueSize, report.Size(maxValueSize))
	case o.KeySize != 0 && (o.KeySize < ycsb.MinKeySize || o.KeySize > maxKeySize):
		return usagef("--key-size %d: must be 0, or from %d to %d", o.KeySize, ycsb.MinKeySize, maxKeySize)
	case o.Split < 0 || o.Split > o.KeySize.Size():
		return usagef("--split %d: must be from 0 to %d, the size of a key", o.Split, o.KeySize.Size())
	case o.Split > o.KeySize.PrefixLength(uint64(o.Records)) && slices.ContainsFunc(o.workloads, func(w ycsb.Workload) bool { return w.Scans == ycsb.Prefixes }):
		return usagef("--split %d: scans of prefixes ask for %d bytes of so many records; write that or less",
			o.Split, o.KeySize.PrefixLength(uint64(o.Records)))
	case slices.Min(o.Memory) < minMemory:
		return usagef("--memory %v: must be at least %v", slices.Min(o.Memory), report.Size(minMemory))
	case o.Operations < 1:
		return usagef("--operations %d: must be at least 1", o.Operations)
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return usagef("--rounds %d: must be from 1 to %d", o.Rounds, maxRounds)
	case !(o.Absent >= 0 && o.Absent <= 1):
		return usagef("--absent %v: must be from 0 to 1", o.Absent)
	case slices.ContainsFunc(o.Threads, func(n report.Number) bool { return n < 1 || n > maxThreads }):
		return usagef("--threads %v: must be from 1 to %d", o.Threads.String(), maxThreads)
	case o.Load != loadShape && o.Load != loadWrite:
		return usagef("--load %q: must be %s or %s", o.Load, loadShape, loadWrite)
	}
	return o.validateRemoteWorkloads()
}

// readWorkloads reads the names of --workloads.
func (o *runOptions) readWorkloads() error {
	for i, name := range o.Workloads {
		w, err := ycsb.Parse(strings.TrimSpace(name))
		if err != nil {
			return usagef("--workloads: %w%s", err, suggest(name, ycsb.Names()))
		}
		if w.Name == ycsb.AbsentName {
			w.Absent = o.Absent
		}
		if o.Distribution != "" {
			w.Distribution = o.Distribution
		}
		if slices.ContainsFunc(o.workloads, func(other ycsb.Workload) bool { return other.Name == w.Name }) {
			return usagef("--workloads: there are two %s; name each once", w.Name)
		}
		o.Workloads[i], o.workloads = w.Name, append(o.workloads, w)
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
	complete(cmd, "load", loadShape, loadWrite)
	return cmd
}

func (o *runOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	// First, because the files may be in the same directory.
	space, err := store.OpenSpace(o.Store)
	if err != nil {
		return usagef("--store: %w", err)
	}
	defer func() { err = errors.Join(err, space.Close()) }()
	r := &run.Result{Head: report.NewHead("run"), Settings: o.Settings}
	return o.Measure(stdout, stderr, r, func() error {
		load := report.StartLoad()
		err := o.measure(ctx, space, r, stderr)
		if len(r.Workloads)+len(r.Remote) > 0 {
			r.NoteLoad(o.Text, load)
		}
		return err
	})
}

// checkSpace fails if the directory cannot hold the stores or be read as asked.
func (o *runOptions) checkSpace(dir string, stores int) error {
	if o.Direct {
		if err := diskio.CheckDirect(dir); err != nil {
			return usagef("--direct: %w; choose another place with --store", err)
		}
	}
	usage, err := vfs.Default.GetDiskUsage(dir)
	if err != nil {
		return err
	}
	// Twice the data is what compactions of a copy can need at worst. The product
	// may be beyond whole numbers.
	record := float64(int(o.ValueSize) + o.KeySize.Size())
	need := float64(o.Records) * record * float64(stores+2)
	if need > float64(usage.AvailBytes) {
		return usagef("--records %d of --value-size %v need about %s in %s, which has %s; choose fewer, or another place with --store",
			o.Records, o.ValueSize, report.Size(min(need, math.MaxInt64-1024)).Human(), dir, report.Size(usage.AvailBytes).Human())
	}
	return nil
}

// measure loads the stores and runs the workloads, and prints and adds to r
// what is done.
func (o *runOptions) measure(ctx context.Context, space *store.Space, r *run.Result, stderr io.Writer) (err error) {
	bar := report.NewProgress(stderr)
	defer bar.Close()
	bucket, closeBucket, err := o.openBucket(ctx, space.Scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeBucket()) }()
	bench := &run.Bench{
		Settings: o.storeSettings(), Operations: o.Operations, Warmup: o.Warmup, Rounds: o.Rounds, Rate: float64(o.Rate),
		Seed: o.Seed, Direct: o.Direct, Memory: int64(o.Memory[0]), Threads: int(o.Threads[0]), Scratch: space.Scratch, Progress: bar.Add,
	}
	bench.Bucket = bucket
	if bench.Stores, err = o.stores(ctx, space, bench.Settings, bar, r, stderr); err != nil {
		return err
	}
	if bucket != nil {
		return o.measureRemote(ctx, bench, r, bar)
	}
	err = o.measureLocal(ctx, bench, r, bar)
	o.printDetails(r)
	return err
}

// measureLocal runs the workloads, and prints and adds to r what is done.
func (o *runOptions) measureLocal(ctx context.Context, bench *run.Bench, r *run.Result, bar *report.Progress) error {
	answer := run.NewAnswer(o.Text, r.Settings)
	defer answer.Close()
	for _, w := range o.workloads {
		for _, memory := range o.Memory {
			for _, threads := range o.Threads {
				bench.Memory, bench.Threads = int64(memory), int(threads)
				bar.Start(w.Name, bench.Steps(w))
				done, err := bench.Run(ctx, w)
				bar.Close()
				r.Workloads = append(r.Workloads, done)
				if err != nil {
					return err
				}
				answer.Print(done)
			}
		}
	}
	return nil
}

// printDetails prints all figures, if they are asked for.
func (o *runOptions) printDetails(r *run.Result) {
	if !o.Details {
		return
	}
	fmt.Fprintf(o.Text, "\nseed %d, %v\n", o.Seed, r.Environment)
	r.PrintStores(o.Text)
	for _, w := range r.Workloads {
		w.Table().Print(o.Text)
	}
	run.Legend.Print(o.Text)
}

// measureRemote runs the workloads in stores with tables in a bucket, and prints
// and adds to r what is done.
func (o *runOptions) measureRemote(ctx context.Context, bench *run.Bench, r *run.Result, bar *report.Progress) error {
	for _, w := range o.workloads {
		remote := &run.Remote{Bench: *bench, Latency: o.bucket.Latency}
		bar.Start(w.Name, remote.Steps(w))
		done, err := remote.Run(ctx, w)
		bar.Close()
		r.Remote = append(r.Remote, done)
		for _, t := range done.Tables() {
			t.Print(o.Text)
		}
		if err != nil {
			return err
		}
	}
	run.RemoteLegend.Print(o.Text)
	return nil
}

// stores returns the stores of all policies: those that are kept, and others that
// it makes.
func (o *runOptions) stores(ctx context.Context, space *store.Space, s store.Settings, bar *report.Progress, r *run.Result, stderr io.Writer) (stores []*store.Store, err error) {
	l := &loads{runOptions: o, settings: s, space: space, bar: bar}
	for _, p := range o.policies.Policies {
		st, err := store.Reopen(space.Store(p.Text), p, s)
		if err != nil {
			return nil, usagef("--store: %w", err)
		}
		if st == nil {
			l.missing = append(l.missing, len(stores))
		}
		stores = append(stores, st)
	}
	if len(l.missing) > 0 {
		if err := o.checkSpace(space.Dir, len(l.missing)); err != nil {
			return nil, err
		}
		fmt.Fprintf(stderr, "benchdb: making %s of %s in %s\n", report.Plural(len(l.missing), "store"), report.Size(s.DataSize()).Human(), space.Dir)
		if err := l.make(ctx, stores); err != nil {
			return nil, err
		}
		if r.Writing = l.writing(); len(r.Writing) > 0 {
			r.WritingTable().Print(o.Text)
			fmt.Fprintln(o.Text)
		}
	}
	for _, st := range stores {
		d, err := st.Describe()
		if err != nil {
			return nil, err
		}
		r.Stores = append(r.Stores, d)
	}
	return stores, nil
}

// loads makes stores.
type loads struct {
	*runOptions
	settings store.Settings
	space    *store.Space
	bar      *report.Progress
	missing  []int // by policy
	written  map[int][]store.Writing
}

// make makes the missing stores. Writing is measured in rounds, in which they take
// turns in another order each time; the last ones stay.
func (l *loads) make(ctx context.Context, stores []*store.Store) error {
	rounds := 1
	if l.Load == loadWrite {
		rounds, l.written = l.Rounds, map[int][]store.Writing{}
	}
	l.bar.Start("loading", l.Records*len(l.missing)*rounds)
	defer l.bar.Close()
	for round := range rounds {
		for turn := range l.missing {
			i := l.missing[(turn+round)%len(l.missing)]
			p := l.policies.Policies[i]
			st, err := l.one(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Text, err)
			}
			if st.Writing != nil {
				l.written[i] = append(l.written[i], *st.Writing)
			}
			if stores[i] = st; round == rounds-1 {
				err = st.Keep(l.space.Store(p.Text))
			} else {
				err = os.RemoveAll(st.Dir)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// one makes a store that is not yet kept.
func (l *loads) one(ctx context.Context, p policy.Policy) (*store.Store, error) {
	build := store.Build
	if l.Load == loadWrite {
		build = store.Write
		runtime.GC() // what the one before left is not this one's
	}
	dir := filepath.Join(l.space.Scratch, filepath.Base(l.space.Store(p.Text)))
	return build(ctx, dir, p, l.settings, l.bar.Add)
}

// writing is what writing cost, by policy.
func (l *loads) writing() (all []run.Writing) {
	for i, p := range l.policies.Policies {
		if rounds := l.written[i]; len(rounds) > 0 {
			all = append(all, run.Writing{Policy: p.Text, Rounds: rounds})
		}
	}
	return all
}

func (o *runOptions) storeSettings() store.Settings {
	return store.Settings{
		Records: o.Records, CacheSize: int64(o.Memory[0]), ValueSize: int(o.ValueSize), Keys: o.KeySize, Split: o.Split,
		Seed: o.Seed, Load: o.Load, Values: ycsb.NewValues(int(o.ValueSize), o.Seed),
	}
}
