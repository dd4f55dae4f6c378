package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Remote measures lookups in stores whose tables are in the bucket of its
// settings.
type Remote struct {
	Bench
	// Latency is added to each request while lookups are timed.
	Latency time.Duration
	// SecondaryCache is the size of a cache on local disk with which all is
	// measured again, 0 for none.
	SecondaryCache int64
}

// remoteLookups are the ways to read a store of a policy: Pebble's own without
// filters, and without and with those of L6; the Reader for index filters; and
// with filters in memory, for Gravel's.
func remoteLookups(p policy.Policy) []Lookup {
	switch {
	case policy.Family(p.Text) == policy.PebbleBloom:
		return []Lookup{Get, L6Filters}
	case hasGravel(p):
		return []Lookup{Resident, Saved}
	case p.Plan.Index != 0:
		return []Lookup{Reader}
	}
	return []Lookup{Get}
}

// timed is how many operations are timed: fewer than are counted, because with
// the latency of a network each takes long.
func (r *Remote) timed() int { return max(r.Operations/20, 1) }

// Steps returns how many operations Progress will be told of by Run.
func (r *Remote) Steps() int {
	rows := 0
	for _, st := range r.Stores {
		rows += len(remoteLookups(st.Policy)) * len(r.secondaryCaches())
	}
	return rows * 2 * (r.Operations + r.timed())
}

func (r *Remote) secondaryCaches() []int64 {
	if r.SecondaryCache == 0 {
		return []int64{0}
	}
	return []int64{0, r.SecondaryCache}
}

// Run measures a workload that writes nothing. On an error the outcome holds
// what was measured before it.
func (r *Remote) Run(ctx context.Context, w ycsb.Workload) (RemoteWorkload, error) {
	out := RemoteWorkload{Name: w.Name, Absent: w.Absent, Rows: []RemoteRow{}}
	for _, st := range r.Stores {
		objects, err := st.Objects(ctx)
		if err != nil {
			return out, err
		}
		for _, secondary := range r.secondaryCaches() {
			for _, lookup := range remoteLookups(st.Policy) {
				c := contender{store: st, lookup: lookup, filterMemory: r.FilterMemory}
				row, err := r.row(ctx, c, w, objectstore.NewCounter(objects), secondary)
				if err != nil {
					return out, fmt.Errorf("%s, %s: %w", st.Policy.Text, lookup, err)
				}
				out.Rows = append(out.Rows, row)
			}
		}
	}
	return out, nil
}

// row measures a contender in four passes: counted and timed, warm and as the
// first that a process does after a restart.
func (r *Remote) row(ctx context.Context, c contender, w ycsb.Workload, counter *objectstore.Counter, secondary int64) (row RemoteRow, err error) {
	row = RemoteRow{Policy: c.store.Policy.Text, Lookup: c.lookup, SecondaryCache: secondary}
	dir, err := os.MkdirTemp(r.Scratch, "remote-")
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	pass := remotePass{Remote: r, contender: c, workload: w, counter: counter}
	pass.view = store.View{Dir: filepath.Join(dir, "store"), FS: vfs.Default, SecondaryCache: secondary}
	if err := c.store.Copy(pass.view.Dir); err != nil {
		return row, err
	}
	if c.lookup == Saved {
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

// run counts and times operations. A Reader chooses by their time what lookups
// ask, so its requests are counted with the latency, too.
func (p remotePass) run(ctx context.Context, cost *RemoteCost) error {
	bucket := p.Settings.Bucket
	bucket.Observe(p.counter.Count)
	defer bucket.Observe(nil)
	if p.contender.lookup.isReader() {
		bucket.SetLatency(p.Latency)
	}
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
