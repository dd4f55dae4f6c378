package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// validateRemote reports the first flag that is wrong with --remote, and gives
// others the defaults that suit it.
func (o *runOptions) validateRemote(given func(flag string) bool) (err error) {
	if o.Remote == "" {
		return nil
	}
	if o.bucket, err = objectstore.ParseURL(o.Remote); err != nil {
		return report.Usagef("--remote: %w", err)
	}
	for _, flag := range []string{"direct", "rate", "rounds", "store", "load"} {
		if given(flag) {
			return report.Usagef("--%s: not with --remote", flag)
		}
	}
	if len(o.Threads) > 1 || len(o.Memory) > 1 {
		return report.Usagef("--remote: not with several --threads or sizes of --memory")
	}
	for flag, set := range map[string]func(){
		"records":    func() { o.Records = 200_000 },
		"workloads":  func() { o.Workloads = []string{ycsb.AbsentName, "C"} },
		"operations": func() { o.Operations = 2000 },
	} {
		if !given(flag) {
			set()
		}
	}
	return nil
}

// validateRemoteWorkloads reports a workload that cannot be measured.
func (o *runOptions) validateRemoteWorkloads() error {
	i := slices.IndexFunc(o.workloads, func(w ycsb.Workload) bool { return w.Writes() || !w.Lookups() })
	if o.Remote != "" && i >= 0 {
		return report.Usagef("--workloads %s: with --remote only workloads that look up and write nothing, %s or C", o.workloads[i].Name, ycsb.AbsentName)
	}
	return nil
}

// openBucket returns the bucket, nil if there is none. Close removes what is in
// it.
func (o *runOptions) openBucket(ctx context.Context, scratch string) (bucket *objectstore.Bucket, closeBucket func() error, err error) {
	if o.Remote == "" {
		return nil, func() error { return nil }, nil
	}
	if o.bucket.Local {
		dir := filepath.Join(scratch, "bucket")
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
		return nil, nil, err
	}
	return bucket, func() error { return bucket.Clear(context.WithoutCancel(ctx)) }, nil
}
