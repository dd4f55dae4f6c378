package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
)

// session is an open copy of a store with a workload's threads.
type session struct {
	db      *pebble.DB
	dir     string // to remove
	workers []*worker
}

// open opens a copy of the contender's store and warms it up. A copy, because
// Pebble lets no two sessions open one directory, and workloads that write must
// all start from the same store.
func (b *Bench) open(ctx context.Context, c contender, w ycsb.Workload, v store.View) (s *session, err error) {
	s = &session{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	sources, err := b.sources(c.store, w)
	if err != nil {
		return s, err
	}
	if s.dir, err = os.MkdirTemp(b.Scratch, "session-"); err != nil {
		return s, err
	}
	v.Dir, v.Writable, v.CacheSize = filepath.Join(s.dir, "store"), w.Writes(), c.cacheSize
	if err := c.store.Copy(v.Dir); err != nil {
		return s, err
	}
	if s.db, err = c.store.Open(v); err != nil {
		return s, err
	}
	s.workers = b.workers(s.db, c, w, sources)
	for _, worker := range s.workers {
		worker.verify = v.Reads != nil && b.Values != nil
	}
	s.reset()
	return s, s.run(ctx, b.warmup())
}

// warmup is how many operations go before those that are measured: enough to
// open every table and to fill the cache with what the workload asks for.
func (b *Bench) warmup() int {
	if b.Keys != nil {
		return len(b.Keys) - b.Operations
	}
	return max(b.Operations/4, 100)
}

func (b *Bench) workers(db *pebble.DB, c contender, w ycsb.Workload, sources *sources) []*worker {
	reader := pebbleext.NewReader(db, c.store.Comparer())
	workers := make([]*worker, b.Threads)
	for i := range workers {
		worker := &worker{
			db: db, get: db.Get, records: sources.records, values: b.Values, chunk: batchSize,
			next: sources.thread(i),
		}
		switch c.lookup {
		case Reader:
			worker.get = reader.Get
		case Batch:
			worker.many = reader
		case L6Filters:
			worker.get = l6Filters{db}.get
		}
		if w.Mix[ycsb.Insert] > 0 {
			worker.chunk = 1
		}
		workers[i] = worker
	}
	return workers
}

// reset starts latencies from zero.
func (s *session) reset() {
	for _, w := range s.workers {
		w.reset()
	}
}

// run does n more operations, shared among the threads.
func (s *session) run(ctx context.Context, n int) error {
	group, ctx := errgroup.WithContext(ctx)
	for i, w := range s.workers {
		share := n*(i+1)/len(s.workers) - n*i/len(s.workers)
		group.Go(func() error { return w.run(ctx, share) })
	}
	return group.Wait()
}

// latency returns the latencies of a kind of operation since reset.
func (s *session) latency(kind ycsb.Kind) *hdrhistogram.Histogram {
	h := newHistogram()
	for _, w := range s.workers {
		h.Merge(w.latency[kind])
	}
	return h
}

// busy returns the threads' mean time in operations since reset.
func (s *session) busy() time.Duration {
	var sum time.Duration
	for _, w := range s.workers {
		sum += w.busy
	}
	return sum / time.Duration(len(s.workers))
}

func (s *session) close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
