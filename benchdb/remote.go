package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// remoteOptions are the flags of run for tables in object storage.
type remoteOptions struct {
	place   string
	latency time.Duration

	bucket objectstore.Place // by Validate
}

const remoteLocal = "local"

// AddFlags adds the flags to a flag set.
func (o *remoteOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.place, "remote", "", "tables in object storage: s3://bucket/prefix without objects, with ?endpoint=URL for a server other than AWS; local: a server in this process")
	fs.DurationVar(&o.latency, "latency", o.latency, "with --remote local: added to each request while operations are timed")
}

// validateRemote reports the first flag that is wrong with --remote, and gives
// others the defaults that suit it.
func (o *runOptions) validateRemote(given func(flag string) bool) (err error) {
	r := &o.remote
	if r.place == "" {
		if given("latency") {
			return usagef("--latency: only with --remote")
		}
		return nil
	}
	if r.place != remoteLocal {
		if r.bucket, err = objectstore.ParseURL(r.place); err != nil {
			return usagef("--remote: %w, or %s for a server in this process", err, remoteLocal)
		}
		if !given("latency") {
			r.latency = 0
		}
	}
	switch {
	case r.latency < 0:
		return usagef("--latency %v: must not be negative", r.latency)
	case o.Direct || o.duration > 0 || len(o.Threads) > 1 || len(o.Memory) > 1:
		return usagef("--remote: not with --direct, --duration, or several --threads or sizes of --memory")
	}
	for flag, set := range map[string]func(){
		"records":    func() { o.Records = 200_000 },
		"workloads":  func() { o.Settings.Workloads = []string{ycsb.AbsentName, "C"} },
		"operations": func() { o.Operations = 2000 },
	} {
		if !given(flag) {
			set()
		}
	}
	o.Settings.Remote = &run.RemoteSettings{Place: r.place, LatencyMS: float64(r.latency) / float64(time.Millisecond)}
	return nil
}

// validateRemoteWorkloads reports a workload that cannot be measured.
func (o *runOptions) validateRemoteWorkloads() error {
	i := slices.IndexFunc(o.workloads, func(w ycsb.Workload) bool { return w.Writes() || !w.Lookups() })
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
