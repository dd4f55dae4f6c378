package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/procfs"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

const (
	// rounds is how many turns contenders take when they are timed side by
	// side, so that a busy moment of the machine hits all of them.
	rounds = 10
	// sideBySide is the most memory for block caches of contenders that are
	// open at the same time.
	sideBySide = 1 << 30
)

// time fills in the rows' timings. Read-only contenders take turns; those that
// write run one after another, because their compactions go on after a turn.
func (b *Bench) time(ctx context.Context, cs []contender, w ycsb.Workload, rows []Row) error {
	size := len(cs)
	if w.Writes() || b.Memory*int64(len(cs)) > sideBySide {
		size = 1
	}
	for first := 0; first < len(cs); first += size {
		last := min(first+size, len(cs))
		if err := b.timeGroup(ctx, cs[first:last], w, rows[first:last]); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bench) timeGroup(ctx context.Context, cs []contender, w ycsb.Workload, rows []Row) (err error) {
	var sessions []*session
	defer func() {
		for i, s := range sessions {
			rows[i].Timing = b.timing(s, rows[i].Reads.Total.Bytes)
			err = errors.Join(err, s.close())
		}
	}()
	for _, c := range cs {
		s, err := b.open(ctx, c, w, store.View{FS: b.fs()})
		if err != nil {
			return err
		}
		s.reset()
		sessions = append(sessions, s)
	}
	for round := range rounds {
		n := b.Operations*(round+1)/rounds - b.Operations*round/rounds
		for i, s := range sessions {
			if err := b.round(ctx, s, n); err != nil {
				return fmt.Errorf("%s, %s: %w", cs[i].store.Policy.Text, cs[i].lookup, err)
			}
			b.Progress(n)
		}
	}
	return nil
}

// round does a turn's share of the duration, or n operations without one, and
// notes what they took.
func (b *Bench) round(ctx context.Context, s *session, n int) error {
	before, busy, done := deviceReadBytes(), s.busy(), s.done()
	run := func() error { return s.run(ctx, n) }
	if b.Duration > 0 {
		run = func() error { return s.runFor(ctx, b.Duration/rounds) }
	}
	if err := run(); err != nil {
		return err
	}
	if after := deviceReadBytes(); before != nil && after != nil {
		read := *after - *before
		if s.device != nil {
			read += *s.device
		}
		s.device = &read
	}
	if done = s.done() - done; done > 0 {
		inAll := (s.busy() - busy) * time.Duration(b.Threads)
		s.roundNS = append(s.roundNS, float64(inAll.Nanoseconds())/float64(done))
	}
	return nil
}

// timing returns the session's latencies since reset, nil if there are none.
// Counted, its operations read that many bytes.
func (b *Bench) timing(s *session, readBytes int64) *Timing {
	all := newHistogram()
	t := &Timing{ByKind: []Kind{}, RoundNS: append([]float64{}, s.roundNS...), Source: servedBy(b.Direct, s.device, readBytes), DeviceReadBytes: s.device}
	for kind := range ycsb.Kinds {
		h := s.latency(kind)
		if h.TotalCount() == 0 {
			continue
		}
		all.Merge(h)
		t.ByKind = append(t.ByKind, Kind{
			Kind: kind.String(), Operations: h.TotalCount(), Latency: newLatency(h),
		})
	}
	if t.Operations = all.TotalCount(); t.Operations == 0 {
		return nil
	}
	t.Latency = newLatency(all)
	t.Seconds = s.busy().Seconds()
	t.OperationsPerS = float64(t.Operations) / t.Seconds
	return t
}

// servedBy names what served reads of that many bytes, of which some came from a
// device. Up to 1 % may do so and still count as the page cache's: this process
// reads other things as well.
func servedBy(direct bool, device *int64, bytes int64) string {
	switch {
	case direct:
		return Device
	case device != nil && *device > bytes/100:
		return Both
	}
	return PageCache
}

// deviceReadBytes returns how many bytes this process made its storage devices
// read, as Linux counts them, and nil elsewhere.
func deviceReadBytes() *int64 {
	self, err := procfs.Self()
	if err != nil {
		return nil
	}
	counts, err := self.IO()
	if err != nil {
		return nil
	}
	read := int64(counts.ReadBytes)
	return &read
}
