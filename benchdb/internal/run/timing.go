package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/procfs"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

const (
	// turns is how many turns contenders take when they are timed side by side,
	// so that a busy moment of the machine hits all of them.
	turns = 10
	// sideBySide is the most memory for block caches of contenders that are
	// open at the same time.
	sideBySide = 1 << 30
)

// tally is what was timed of a contender, in all its openings.
type tally struct {
	latency [ycsb.Kinds]*hdrhistogram.Histogram
	elapsed time.Duration // the threads' mean
	turnNS  []float64     // mean time of an operation in each turn
	device  *int64        // bytes read of devices meanwhile, nil if not known
}

// time fills in the rows' timings. Read-only contenders take turns; those that
// write run one after another, because their compactions go on after a turn.
func (b *Bench) time(ctx context.Context, cs []contender, w ycsb.Workload, rows []Row) error {
	size := len(cs)
	if w.Writes() || b.Memory*int64(len(cs)) > sideBySide {
		size = 1
	}
	tallies := make([]tally, len(cs))
	defer func() {
		for i := range tallies {
			rows[i].Timing = b.timing(&tallies[i], rows[i].Reads.Total.Bytes)
		}
	}()
	for round := range b.Rounds {
		for first := 0; first < len(cs); first += size {
			last := min(first+size, len(cs))
			if err := b.ofRound(round).timeGroup(ctx, cs[first:last], w, tallies[first:last]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Bench) timeGroup(ctx context.Context, cs []contender, w ycsb.Workload, tallies []tally) (err error) {
	var sessions []*session
	defer func() {
		for _, s := range sessions {
			err = errors.Join(err, s.close())
		}
	}()
	for _, c := range cs {
		s, err := b.open(ctx, c, w, store.View{FS: b.fs()})
		if err != nil {
			return err
		}
		s.pace(b)
		sessions = append(sessions, s)
	}
	for turn := range turns {
		n := b.Operations*(turn+1)/turns - b.Operations*turn/turns
		for i, s := range sessions {
			if err := tallies[i].turn(ctx, s, n); err != nil {
				return fmt.Errorf("%s, %s: %w", cs[i].store.Policy.Text, cs[i].lookup, err)
			}
			b.Progress(n)
		}
	}
	return nil
}

// turn does n operations, and notes what was done of them.
func (t *tally) turn(ctx context.Context, s *session, n int) error {
	s.reset()
	before := deviceReadBytes()
	err := s.run(ctx, n)
	if after := deviceReadBytes(); before != nil && after != nil {
		read := *after - *before
		if t.device != nil {
			read += *t.device
		}
		t.device = &read
	}
	done := int64(0)
	for kind := range ycsb.Kinds {
		h := s.latency(kind)
		done += h.TotalCount()
		if t.latency[kind] == nil {
			t.latency[kind] = newHistogram()
		}
		t.latency[kind].Merge(h)
	}
	busy, elapsed := s.times()
	t.elapsed += elapsed
	if done > 0 {
		t.turnNS = append(t.turnNS, float64(busy.Nanoseconds())/float64(done))
	}
	return err
}

// timing sums a tally up, nil if nothing was timed. Counted, its operations read
// that many bytes.
func (b *Bench) timing(from *tally, readBytes int64) *Timing {
	all := newHistogram()
	t := &Timing{ByKind: []Kind{}, TurnNS: append([]float64{}, from.turnNS...), Source: servedBy(b.Direct, from.device, readBytes), DeviceReadBytes: from.device}
	for kind, h := range from.latency {
		if h == nil || h.TotalCount() == 0 {
			continue
		}
		all.Merge(h)
		t.ByKind = append(t.ByKind, Kind{
			Kind: ycsb.Kind(kind).String(), Operations: h.TotalCount(), Latency: newLatency(h),
		})
	}
	if t.Operations = all.TotalCount(); t.Operations == 0 {
		return nil
	}
	t.Latency = newLatency(all)
	t.Seconds = from.elapsed.Seconds()
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
