package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Remote measures lookups in stores whose tables are in the bucket of its
// settings.
type Remote struct {
	Bench
	// Latency is added to each request while lookups are timed.
	Latency time.Duration
}

// timed is how many operations are timed: fewer than are counted, because with
// the latency of a network each takes long.
func (r *Remote) timed() int { return max(r.Operations/20, 1) }

// contenders leaves out what makes no difference here: pebble.DB.Get with filters
// of Gravel's.
func (r *Remote) contenders(w ycsb.Workload) []contender {
	return slices.DeleteFunc(r.Bench.contenders(w), func(c contender) bool {
		return c.lookup == Get && c.store.Policy.IsGravel()
	})
}

// Steps returns how many operations Progress will be told of by Run.
func (r *Remote) Steps(w ycsb.Workload) int {
	return len(r.contenders(w)) * 2 * (r.Operations + r.timed())
}

// Run measures a workload that writes nothing. On an error the outcome holds
// what was measured before it.
func (r *Remote) Run(ctx context.Context, w ycsb.Workload) (RemoteOutcome, error) {
	out := RemoteOutcome{Name: w.Name, Absent: w.Absent, Rows: []RemoteRow{}}
	for _, c := range r.contenders(w) {
		objects, err := c.store.Objects(ctx)
		if err != nil {
			return out, err
		}
		row, err := r.row(ctx, c, w, objectstore.NewCounter(objects))
		if err != nil {
			return out, fmt.Errorf("%s, %s: %w", c.store.Policy.Text, c.lookup, err)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// row measures a contender in four passes: counted and timed, warm and as the
// first that a process does after a restart.
func (r *Remote) row(ctx context.Context, c contender, w ycsb.Workload, counter *objectstore.Counter) (row RemoteRow, err error) {
	row = RemoteRow{Policy: c.store.Policy.Text, Lookup: c.lookup}
	dir, err := os.MkdirTemp(r.Scratch, "remote-")
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	pass := remotePass{Remote: r, contender: c, workload: w, counter: counter}
	pass.view = store.View{Dir: filepath.Join(dir, "store"), FS: vfs.Default}
	if err := c.store.Copy(pass.view.Dir); err != nil {
		return row, err
	}
	if c.isResident() { // a file keeps them while the store is closed
		pass.contender.saved = filepath.Join(dir, "filters")
	}
	if err := pass.run(ctx, &row.Warm); err != nil {
		return row, err
	}
	pass.restart = true
	return row, pass.run(ctx, &row.Restart)
}

// remotePass is how to measure a contender.
type remotePass struct {
	*Remote
	contender contender
	workload  ycsb.Workload
	counter   *objectstore.Counter
	view      store.View
	restart   bool // measure without warming up
}

// run counts and times operations.
func (p remotePass) run(ctx context.Context, cost *RemoteCost) error {
	bucket := p.Settings.Bucket
	bucket.Observe(p.counter.Count)
	defer bucket.Observe(nil)
	defer bucket.SetLatency(0)
	err := p.session(ctx, 0, func(s *session) error {
		err := s.run(ctx, p.Operations)
		cost.Operations, cost.Requests = p.Operations, p.counter.Take()
		p.Progress(p.Operations)
		return err
	})
	if err != nil {
		return err
	}
	return p.session(ctx, 1, func(s *session) error {
		bucket.SetLatency(p.Latency)
		err := s.run(ctx, p.timed())
		cost.Timed, cost.Latency = p.timed(), newLatency(s.latency(ycsb.Read))
		p.Progress(p.timed())
		return err
	})
}

// session opens the store, warms up if it should, and measures. Each session asks
// for keys of its own: a cache on disk has those of the one before.
func (p remotePass) session(ctx context.Context, turn uint64, measure func(*session) error) (err error) {
	bench := p.Bench
	bench.Seed += turn
	if p.restart {
		bench.Seed += 2
	}
	s := &session{}
	defer func() { err = errors.Join(err, s.close()) }()
	p.counter.Take()
	if err := bench.begin(s, p.contender, p.workload, p.view); err != nil {
		return err
	}
	if !p.restart {
		if err := s.warmUp(ctx, p.workload); err != nil {
			return err
		}
		s.reset()
		p.counter.Take()
	}
	return measure(s)
}
