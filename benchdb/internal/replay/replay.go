package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// Replay looks up keys in a view of a store.
type Replay struct {
	Dir      string   // of the store
	Keys     [][]byte // none for a sample
	Policies []policy.Policy
	Space    *store.Space
	Bar      *report.Progress
}

// Run looks the keys up, forecasts, and adds to r what is done.
func (p *Replay) Run(ctx context.Context, r *Result) (err error) {
	s := &r.Settings
	dir := p.Space.Store(policy.AsItIs)
	if r.View, err = checkpoint.Take(p.Dir, dir); err != nil {
		return err
	}
	v, err := OpenView(dir, int64(s.Memory))
	if err != nil {
		return err
	}
	survey, err := p.survey(ctx, v, *s)
	if err != nil {
		return err
	}
	s.Keys, s.Outside, s.Absent = len(survey.keys), survey.Outside, survey.absent()
	bench := &run.Bench{
		Settings: store.Settings{CacheSize: int64(s.Memory)}, Memory: int64(s.Memory), Threads: s.Threads, Rounds: 1,
		Seed: s.Seed, Direct: s.Direct, Scratch: p.Space.Scratch, Progress: p.Bar.Add,
	}
	if err := r.forecast(survey, p.Policies, bench); err != nil {
		return err
	}
	if bench.Stores, err = p.stores(ctx, v, survey, r); err != nil {
		return err
	}
	for _, w := range survey.Workloads() {
		bench.Keys = survey.Of(w)
		bench.Warmup = len(bench.Keys) / 5 // to open tables and to fill the cache
		bench.Operations = len(bench.Keys) - bench.Warmup
		p.Bar.Start(w.Name, bench.Steps(w))
		done, err := bench.Run(ctx, w)
		p.Bar.Close()
		r.Workloads = append(r.Workloads, done)
		if err != nil {
			return err
		}
	}
	return nil
}

// survey looks for the keys in the view, which it closes.
func (p *Replay) survey(ctx context.Context, v *View, s Settings) (survey *Survey, err error) {
	defer func() { err = errors.Join(err, v.Close()) }()
	keys := p.Keys
	if len(keys) == 0 {
		if keys, err = v.Sample(ctx, s.Sample, s.Absent, s.Seed); err != nil {
			return nil, err
		}
	}
	if err := v.CheckKeys(keys); err != nil {
		return nil, err
	}
	return v.Survey(ctx, keys)
}

// stores are the store as it is, and if that is asked for, copies with the
// filters of each policy.
func (p *Replay) stores(ctx context.Context, v *View, survey *Survey, r *Result) (stores []*store.Store, err error) {
	add := func(st *store.Store, err error) error {
		if err != nil {
			return err
		}
		d, err := st.Describe()
		stores, r.Stores = append(stores, st), append(r.Stores, d)
		return err
	}
	now := store.Existing(v.dir, policy.Policy{Text: policy.AsItIs}, v.opts, survey.truth)
	if err := add(now, nil); err != nil || !r.Settings.Rewrite {
		return stores, err
	}
	all := r.Stores[0].Bytes * int64(len(p.Policies))
	usage, err := vfs.Default.GetDiskUsage(p.Space.Dir)
	if err == nil && usage.AvailBytes < uint64(all) {
		return nil, fmt.Errorf("--rewrite needs %s in %s, which has %s; choose another place with --dir",
			report.Size(all).Human(), p.Space.Dir, report.Size(usage.AvailBytes).Human())
	}
	p.Bar.Start("refiltering", int(all))
	defer p.Bar.Close()
	for _, to := range p.Policies {
		if err := add(p.refilter(ctx, now, v, survey.keys, to)); err != nil {
			return nil, fmt.Errorf("%s: %w; without --rewrite nothing is rewritten", to.Text, err)
		}
	}
	return stores, nil
}

// refilter makes a copy of a store with the filters of a policy.
func (p *Replay) refilter(ctx context.Context, from *store.Store, v *View, keys [][]byte, to policy.Policy) (*store.Store, error) {
	dir, told := p.Space.Store(to.Text), int64(0)
	if err := from.Copy(dir); err != nil {
		return nil, err
	}
	_, err := refilter.Run(ctx, dir, v.opts, to.Plan, refilter.Settings{Progress: func(r refilter.Report) {
		p.Bar.Add(int(r.DoneBytes - told))
		told = r.DoneBytes
	}})
	if err != nil {
		return nil, err
	}
	if v, err = openView(dir, v.opts); err != nil {
		return nil, err
	}
	survey, err := v.Survey(ctx, keys)
	return store.Existing(dir, to, v.opts, survey.truth), errors.Join(err, v.Close())
}
