package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Inputs are what Run needs beside the settings.
type Inputs struct {
	Policies  []policy.Policy
	Workloads []ycsb.Workload
	Space     *store.Space
	// Bucket keeps the tables, if not nil. Latency is added to each request while
	// lookups are timed.
	Bucket  *objectstore.Bucket
	Latency time.Duration
	// Details prints the stores and all figures, too.
	Details bool
	Text    io.Writer // of the tables
	Stderr  io.Writer
	Bar     *report.Progress
}

// Run makes the stores, runs the workloads, and prints and adds to r what is done.
func (r *Result) Run(ctx context.Context, in Inputs) (err error) {
	s := r.Settings
	bench := &Bench{
		Settings: store.Settings{
			Records: s.Records, CacheSize: int64(s.Memory[0]), ValueSize: int(s.ValueSize), Keys: s.KeySize, Split: s.Split,
			Seed: s.Seed, Load: s.Load, Values: ycsb.NewValues(int(s.ValueSize), s.Seed), Bucket: in.Bucket,
		},
		Operations: s.Operations, Warmup: s.Warmup, Rounds: s.Rounds, Rate: float64(s.Rate), Seed: s.Seed, Direct: s.Direct,
		Memory: int64(s.Memory[0]), Threads: int(s.Threads[0]), Scratch: in.Space.Scratch, Progress: in.Bar.Add,
	}
	if bench.Stores, err = r.stores(ctx, in, bench.Settings); err != nil {
		return err
	}
	if in.Bucket != nil {
		return r.remote(ctx, in, bench)
	}
	err = r.local(ctx, in, bench)
	if in.Details {
		fmt.Fprintf(in.Text, "\nseed %d, %v\n", s.Seed, r.Environment)
		r.PrintStores(in.Text)
		for _, w := range r.Workloads {
			w.Table().Print(in.Text)
		}
		Legend.Print(in.Text)
	}
	return err
}

func (r *Result) local(ctx context.Context, in Inputs, bench *Bench) error {
	answer := NewAnswer(in.Text, r.Settings)
	defer answer.Close()
	for _, w := range in.Workloads {
		for _, memory := range r.Settings.Memory {
			for _, threads := range r.Settings.Threads {
				bench.Memory, bench.Threads = int64(memory), int(threads)
				in.Bar.Start(w.Name, bench.Steps(w))
				done, err := bench.Run(ctx, w)
				in.Bar.Close()
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

// remote runs the workloads in stores with tables in a bucket.
func (r *Result) remote(ctx context.Context, in Inputs, bench *Bench) error {
	for _, w := range in.Workloads {
		remote := &Remote{Bench: *bench, Latency: in.Latency}
		in.Bar.Start(w.Name, remote.Steps(w))
		done, err := remote.Run(ctx, w)
		in.Bar.Close()
		r.Remote = append(r.Remote, done)
		for _, t := range done.Tables() {
			t.Print(in.Text)
		}
		if err != nil {
			return err
		}
	}
	RemoteLegend.Print(in.Text)
	return nil
}

// stores returns the stores of all policies: those that are kept, and others that
// it makes.
func (r *Result) stores(ctx context.Context, in Inputs, s store.Settings) (stores []*store.Store, err error) {
	var missing []int
	for i, p := range in.Policies {
		st, err := store.Reopen(in.Space.Store(p.Text), p, s)
		if err != nil {
			return nil, report.Usagef("--store: %w", err)
		}
		if st == nil {
			missing = append(missing, i)
		}
		stores = append(stores, st)
	}
	if len(missing) > 0 {
		if err := s.CheckRoom(in.Space.Dir, len(missing)); err != nil {
			return nil, err
		}
		fmt.Fprintf(in.Stderr, "benchdb: making %s of %s in %s\n", report.Plural(len(missing), "store"), report.Size(s.DataSize()).Human(), in.Space.Dir)
		if err := r.make(ctx, in, s, missing, stores); err != nil {
			return nil, err
		}
		if len(r.Writing) > 0 {
			r.WritingTable().Print(in.Text)
			fmt.Fprintln(in.Text)
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

// make makes the missing stores. Writing is measured in rounds, in which they take
// turns in another order each time; the last ones stay.
func (r *Result) make(ctx context.Context, in Inputs, s store.Settings, missing []int, stores []*store.Store) error {
	rounds, build := 1, store.Build
	written := make([]Writing, len(stores))
	if s.Load == LoadWrite {
		rounds, build = r.Settings.Rounds, store.Write
	}
	in.Bar.Start("loading", s.Records*len(missing)*rounds)
	defer in.Bar.Close()
	for round := range rounds {
		for turn := range missing {
			i := missing[(turn+round)%len(missing)]
			p := in.Policies[i]
			kept := in.Space.Store(p.Text)
			st, err := build(ctx, filepath.Join(in.Space.Scratch, filepath.Base(kept)), p, s, in.Bar.Add)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Text, err)
			}
			if st.Writing != nil {
				written[i].Policy = p.Text
				written[i].Rounds = append(written[i].Rounds, *st.Writing)
			}
			if stores[i] = st; round == rounds-1 {
				err = st.Keep(kept)
			} else {
				err = os.RemoveAll(st.Dir)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, w := range written {
		if len(w.Rounds) > 0 {
			r.Writing = append(r.Writing, w)
		}
	}
	return nil
}
