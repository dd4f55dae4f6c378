package run

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// session is an open copy of a store with a workload's threads.
type session struct {
	db      *pebble.DB
	reader  *pebbleext.Reader
	dir     string // to remove
	workers []*worker
	// newWorkers makes workers that begin as those of the session did.
	newWorkers func() []*worker
	warmup     int // operations
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
	if s.dir, err = os.MkdirTemp(b.Scratch, "session-"); err != nil {
		return s, err
	}
	v.Dir = filepath.Join(s.dir, "store")
	if err := c.store.Copy(v.Dir); err != nil {
		return s, err
	}
	if err := b.begin(s, c, w, v); err != nil {
		return s, err
	}
	return s, s.warmUp(ctx, w)
}

// begin opens the store of a session in the view's directory.
func (b *Bench) begin(s *session, c contender, w ycsb.Workload, v store.View) error {
	thread, records, err := b.sources(c.store, w)
	if err != nil {
		return err
	}
	v.Writable, v.CacheSize = w.Writes(), b.Memory
	v.Resident, v.FilterFile = c.isResident(), c.saved
	if s.db, s.reader, err = c.store.OpenWith(v); err != nil {
		return err
	}
	s.newWorkers = func() []*worker {
		workers := make([]*worker, b.Threads)
		for i := range workers {
			workers[i] = b.worker(s, c, w)
			workers[i].next, workers[i].records = thread(i), records
		}
		return workers
	}
	s.workers = s.newWorkers()
	for _, worker := range s.workers {
		worker.verify = v.Reads != nil && b.Values != nil
	}
	s.warmup = b.Warmup
	s.reset()
	return nil
}

// warmUp does the operations that go before those that are measured. Filters of a
// session before it are there already, and what is written can be written once.
func (s *session) warmUp(ctx context.Context, w ycsb.Workload) error {
	if filters := s.filters(); filters != nil && filters.Stats().Restored == 0 && !w.Writes() {
		if err := s.settle(ctx, w.Lookups()); err != nil {
			return err
		}
	}
	return s.run(ctx, s.warmup)
}

// settle warms up again and again until resident filters do not change any more,
// or nobody asks them. They are loaded and cut four times a second, less often where
// the processor is busy. Few operations tell little of what filters are worth, so
// that it does not wait as long after those.
func (s *session) settle(ctx context.Context, lookups bool) error {
	const most = 16
	patience := min(s.warmup/2000, 2)
	changes, same := ^uint64(0), -1 // how often they were the same
	for range most {
		asked := s.filters().Stats().Queries
		more := &session{workers: s.newWorkers()}
		more.reset()
		if err := more.run(ctx, s.warmup); err != nil {
			return err
		}
		if lookups && strings.HasPrefix(s.reader.Way(), "get") {
			return nil
		}
		now, err := s.counted(ctx, asked)
		if err != nil || now.Queries == asked {
			return err
		}
		changed := now.Loaded + now.Cut + now.Evicted
		if changed != changes {
			changes, same = changed, -1
		}
		if same++; now.Filters > 0 && same >= patience {
			return nil
		}
	}
	return nil
}

// counted waits until the resident filters have counted queries beyond a number of
// them, and have had time to act on them. It does not wait for long: there may have
// been none.
func (s *session) counted(ctx context.Context, asked uint64) (now resident.Stats, err error) {
	const (
		step = 10 * time.Millisecond
		turn = 30 // steps, longer than the filters' own
		most = 5 * turn
	)
	for i, seen := 0, 0; i < most && seen < turn; i++ {
		select {
		case <-ctx.Done():
			return now, ctx.Err()
		case <-time.After(step):
		}
		if now = s.filters().Stats(); now.Queries > asked {
			seen++
		}
	}
	return now, nil
}

// worker returns a worker of a session, without a source of operations.
func (b *Bench) worker(s *session, c contender, w ycsb.Workload) *worker {
	worker := &worker{db: s.db, get: s.db.Get, values: b.Values, form: b.Settings.Keys, chunk: 100}
	switch c.lookup {
	case DB:
		worker.get, worker.bounded = s.reader.Get, s.reader
	case L6Filters:
		worker.l6 = true
		worker.get = func(key []byte) ([]byte, io.Closer, error) { return getWithL6(s.db, key) }
	}
	if w.Inserts() > 0 {
		worker.chunk = 1
	}
	return worker
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

// pace makes operations arrive at the rate of the Bench, if it has one: those of a
// thread at random, as many users send them.
func (s *session) pace(b *Bench) {
	if b.Rate == 0 {
		return
	}
	for i, w := range s.workers {
		w.gap = time.Duration(float64(len(s.workers)) / b.Rate * float64(time.Second))
		w.arrivals = rand.New(rand.NewPCG(b.Seed, uint64(i)))
	}
}

// latency returns the latencies of a kind of operation since reset.
func (s *session) latency(kind ycsb.Kind) *hdrhistogram.Histogram {
	h := newHistogram()
	for _, w := range s.workers {
		h.Merge(w.latency[kind])
	}
	return h
}

// times returns the time that operations took in all since reset, and the
// threads' mean time from the first to the last.
func (s *session) times() (busy, elapsed time.Duration) {
	for _, w := range s.workers {
		busy += w.busy
		elapsed += w.elapsed
	}
	return busy, elapsed / time.Duration(len(s.workers))
}

// filters returns the resident filters, nil for none.
func (s *session) filters() *resident.Filters {
	if s.reader == nil {
		return nil
	}
	return s.reader.Filters()
}

func (s *session) close() error {
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
