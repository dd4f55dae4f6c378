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
	if w.Writes() || b.CacheSize*int64(len(cs)) > sideBySide {
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
	devices := make([]deviceMeter, len(cs))
	roundNS := make([][]float64, len(cs))
	defer func() {
		for i, s := range sessions {
			rows[i].Timing = b.timing(s, devices[i], rows[i].Reads.Total.Bytes)
			if rows[i].Timing != nil {
				rows[i].Timing.RoundNS = roundNS[i]
			}
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
			devices[i].start()
			busy, done := s.busy(), s.done()
			if err := b.round(ctx, s, n); err != nil {
				return fmt.Errorf("%s, %s: %w", cs[i].store.Policy.Text, cs[i].lookup, err)
			}
			devices[i].stop()
			if done = s.done() - done; done > 0 {
				inAll := (s.busy() - busy) * time.Duration(b.Threads)
				roundNS[i] = append(roundNS[i], float64(inAll.Nanoseconds())/float64(done))
			}
			b.Progress(n)
		}
	}
	return nil
}

// round does a turn's share of the duration, or n operations without one.
func (b *Bench) round(ctx context.Context, s *session, n int) error {
	if b.Duration > 0 {
		return s.runFor(ctx, b.Duration/rounds)
	}
	return s.run(ctx, n)
}

// timing returns the session's latencies since reset, nil if there are none.
// Counted, its operations read that many bytes.
func (b *Bench) timing(s *session, device deviceMeter, readBytes int64) *Timing {
	all := newHistogram()
	t := &Timing{ByKind: []Kind{}, RoundNS: []float64{}, Source: device.source(b.Direct, readBytes), DeviceReadBytes: device.bytes()}
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

// deviceMeter sums the bytes that this process made its storage devices read,
// as Linux counts them. Elsewhere it knows nothing.
type deviceMeter struct {
	begin, sum int64
	unknown    bool
}

func (m *deviceMeter) start() {
	var ok bool
	if m.begin, ok = deviceReadBytes(); !ok {
		m.unknown = true
	}
}

func (m *deviceMeter) stop() {
	if end, ok := deviceReadBytes(); ok {
		m.sum += end - m.begin
	}
}

func (m *deviceMeter) bytes() *int64 {
	if m.unknown {
		return nil
	}
	sum := m.sum
	return &sum
}

// source names what served reads of that many bytes. Up to 1 % of them may come
// from a device and still count as the page cache's: this process reads other
// things as well.
func (m *deviceMeter) source(direct bool, bytes int64) string {
	switch {
	case direct:
		return Device
	case m.sum > bytes/100:
		return Both
	}
	return PageCache
}

// deviceReadBytes returns what Linux counts for this process.
func deviceReadBytes() (int64, bool) {
	self, err := procfs.Self()
	if err != nil {
		return 0, false
	}
	counts, err := self.IO()
	return int64(counts.ReadBytes), err == nil
}
