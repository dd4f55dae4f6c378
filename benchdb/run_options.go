package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// runOptions are the flags of run.
type runOptions struct {
	Records     int
	ValueSize   report.Size
	CacheSize   report.Size
	Policies    policy.List
	Workloads   []string
	Operations  int
	Absent      float64
	Threads     int
	Seed        uint64
	Dir         string
	Direct      bool
	Load        string
	SweepCache  bool
	SweepMemory bool
	report.Outputs
	Quiet bool
}

// The ways to load a store.
const (
	loadShape = "shape"
	loadWrite = "write"
)

// newRunOptions returns the defaults. The data is 12 times the block cache.
func newRunOptions() *runOptions {
	o := &runOptions{
		Records:    200_000,
		ValueSize:  1000,
		CacheSize:  16 << 20,
		Workloads:  ycsb.Names(),
		Operations: 40_000,
		Absent:     1,
		Threads:    1,
		Seed:       1,
		Load:       loadShape,
		Outputs:    report.Outputs{HTML: "benchdb-report.html"},
	}
	for _, text := range []string{"none", "pebble-bloom:10", "bloom:10"} {
		p, err := policy.Parse(text)
		if err != nil {
			panic(err) // a default is wrong
		}
		o.Policies.Policies = append(o.Policies.Policies, p)
	}
	return o
}

// AddFlags adds the flags to a flag set.
func (o *runOptions) AddFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.Records, "records", o.Records, "records in the store")
	fs.Var(&o.ValueSize, "value-size", "size of a record's value")
	fs.Var(&o.CacheSize, "cache-size", "size of the block cache")
	fs.Var(&o.Policies, "policies", "policies or level plans, separated by spaces")
	fs.StringSliceVar(&o.Workloads, "workloads", o.Workloads, "workloads to run")
	fs.IntVar(&o.Operations, "operations", o.Operations, "operations of each workload")
	fs.Float64Var(&o.Absent, "absent", o.Absent, "share of absent keys in workload absent, 0 to 1")
	fs.IntVar(&o.Threads, "threads", o.Threads, "threads; with one, counts repeat")
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
	workloads, err := o.workloads()
	switch {
	case err != nil:
		return err
	case (o.SweepCache || o.SweepMemory) && !slices.ContainsFunc(workloads, run.Sweeps):
		return usagef("--sweep-cache and --sweep-memory: name a workload that only looks up in --workloads, %s or C", ycsb.AbsentName)
	case o.SweepMemory && !slices.ContainsFunc(o.Policies.Policies, policy.Policy.Filters):
		return usagef("--sweep-memory: name a policy that has filters in --policies, such as bloom:10")
	}
	return nil
}

func (o *runOptions) workloads() ([]ycsb.Workload, error) {
	var workloads []ycsb.Workload
	for _, name := range o.Workloads {
		w, err := ycsb.Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, usagef("--workloads: %w", err)
		}
		if w.Name == ycsb.AbsentName {
			w.Absent = o.Absent
		}
		workloads = append(workloads, w)
	}
	if len(workloads) == 0 {
		return nil, usagef("--workloads: name at least one of %s", strings.Join(ycsb.Names(), ","))
	}
	return workloads, nil
}

func (o *runOptions) settings() run.Settings {
	return run.Settings{
		Records:     o.Records,
		ValueSize:   int(o.ValueSize),
		CacheSize:   int64(o.CacheSize),
		Policies:    o.Policies.Texts(),
		Workloads:   o.Workloads,
		Operations:  o.Operations,
		Absent:      o.Absent,
		Threads:     o.Threads,
		Seed:        o.Seed,
		Load:        o.Load,
		Direct:      o.Direct,
		SweepCache:  o.SweepCache,
		SweepMemory: o.SweepMemory,
	}
}
