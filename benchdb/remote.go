package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// remoteOptions are the flags of run for tables in object storage.
type remoteOptions struct {
	place          string
	endpoint       string
	latency        time.Duration
	secondaryCache report.Size
	price          run.Price

	bucket objectstore.Place // by Validate
}

const (
	remoteLocal = "local"
	remoteBytes = 64 << 20 // of the secondary cache
)

func newRemoteOptions() remoteOptions {
	return remoteOptions{latency: 20 * time.Millisecond, secondaryCache: remoteBytes, price: run.S3Standard}
}

// AddFlags adds the flags to a flag set.
func (o *remoteOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.place, "remote", "", "tables in object storage: s3://bucket/prefix without objects; local: an S3 server in this process")
	fs.StringVar(&o.endpoint, "endpoint", "", "with --remote: URL of an S3 server, in place of that of AWS")
	fs.DurationVar(&o.latency, "latency", o.latency, "with --remote local: added to each request while operations are timed")
	fs.Var(&o.secondaryCache, "secondary-cache", "with --remote: size of a cache on local disk to measure with as well; 0: none")
	fs.Var(&o.price, "price", "with --remote: dollars for a thousand requests and for a GB")
}

// validateRemote reports the first flag that is wrong with --remote, and gives
// others the defaults that suit it.
func (o *runOptions) validateRemote(given func(flag string) bool) (err error) {
	r := &o.remote
	if r.place == "" {
		for _, flag := range []string{"endpoint", "latency", "secondary-cache", "price"} {
			if given(flag) {
				return usagef("--%s: only with --remote", flag)
			}
		}
		return nil
	}
	if r.place != remoteLocal {
		if r.bucket, err = objectstore.ParseURL(r.place); err != nil {
			return usagef("--remote: %w, or %s for a server in this process", err, remoteLocal)
		}
		r.bucket.Endpoint = r.endpoint
		if !given("latency") {
			r.latency = 0
		}
	}
	switch {
	case r.place == remoteLocal && r.endpoint != "":
		return usagef("--endpoint: not with --remote %s", remoteLocal)
	case r.latency < 0:
		return usagef("--latency %v: must not be negative", r.latency)
	case o.Direct || o.SweepCache || o.SweepMemory || o.duration > 0 || len(o.Threads) > 1:
		return usagef("--remote: not with --direct, --sweep-cache, --sweep-memory, --duration or several --threads")
	}
	if !given("workloads") {
		o.Settings.Workloads = []string{ycsb.AbsentName, "C"}
	}
	if !given("operations") {
		o.Operations = 2000
	}
	if !given("policies") {
		o.policies = policy.NewList("none", "pebble-bloom:10", "none;index=8", "dense:12")
	}
	o.Settings.Remote = &run.RemoteSettings{
		Place: r.place, Endpoint: r.endpoint, LatencyMS: float64(r.latency) / float64(time.Millisecond),
		SecondaryCache: r.secondaryCache, Price: r.price,
	}
	return nil
}

// validateRemoteWorkloads reports a workload that cannot be measured.
func (o *runOptions) validateRemoteWorkloads() error {
	i := slices.IndexFunc(o.workloads, func(w ycsb.Workload) bool { return !run.Sweeps(w) })
	if o.remote.place != "" && i >= 0 {
		return usagef("--workloads %s: with --remote only workloads that look up and write nothing, %s or C", o.workloads[i].Name, ycsb.AbsentName)
	}
	return nil
}

// open returns the bucket, nil if there is none. What is in it is removed by
// close, unless it is to be kept.
func (o *remoteOptions) open(ctx context.Context, dir string, keep bool) (bucket *objectstore.Bucket, closeBucket func() error, err error) {
	switch o.place {
	case "":
		return nil, func() error { return nil }, nil
	case remoteLocal:
		dir = filepath.Join(dir, "bucket")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, nil, err
		}
		server, bucket, err := objectstore.Serve(dir)
		if err != nil {
			return nil, nil, err
		}
		return bucket, server.Close, nil
	}
	if bucket, err = objectstore.Open(ctx, o.bucket); err != nil {
		return nil, nil, err
	}
	if err := bucket.CheckEmpty(ctx); err != nil {
		return nil, nil, usagef("--remote: %w", err)
	}
	return bucket, func() error {
		if keep {
			return nil
		}
		return bucket.Clear(context.WithoutCancel(ctx))
	}, nil
}
