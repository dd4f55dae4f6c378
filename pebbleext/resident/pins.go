package resident

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
)

// pins keep memory that queries read from being reused: epoch-based
// reclamation (Fraser, Practical lock-freedom, 2004, section 5.2.3). A query
// holds a pin with the epoch at which it began. Who has taken a filter away
// begins a new epoch and waits until all pins of earlier ones are gone.
//
// A pin is a cache line pair of its own and a query comes back to the same one,
// so cores share no line that any of them writes.
type pins struct {
	epoch atomic.Uint64
	pins  []pin // a power of two
}

type pin struct {
	epoch atomic.Uint64 // 0 while it is free
	_     [120]byte     // processors fetch lines in pairs
}

func newPins() *pins {
	p := &pins{pins: make([]pin, 1<<bits.Len(uint(8*runtime.GOMAXPROCS(0))))}
	p.epoch.Store(1)
	return p
}

// hold takes a pin, the home one if it is free. It returns nil if so many are
// held that the search is not worth it.
func (p *pins) hold(home uint32) *pin {
	const attempts = 4
	epoch := p.epoch.Load()
	for i := range uint32(attempts) {
		at := &p.pins[int(home+i)&(len(p.pins)-1)]
		if at.epoch.CompareAndSwap(0, epoch) {
			return at
		}
	}
	return nil
}

func (p *pin) release() {
	if p != nil {
		p.epoch.Store(0)
	}
}

// wait returns once no query is left that began before it. Such a query is in
// some filters, for a microsecond unless its goroutine is interrupted.
//
// A query that loaded the epoch before wait began the new one, but takes its
// pin after wait looked at it, sees what was taken away before wait: all these
// accesses are atomic, hence in one order.
func (p *pins) wait() {
	now := p.epoch.Add(1)
	for i := range p.pins {
		for tries := 0; p.pins[i].heldBefore(now); tries++ {
			if tries < 100 {
				runtime.Gosched()
			} else {
				time.Sleep(10 * time.Microsecond)
			}
		}
	}
}

func (p *pin) heldBefore(epoch uint64) bool {
	held := p.epoch.Load()
	return held != 0 && held < epoch
}
