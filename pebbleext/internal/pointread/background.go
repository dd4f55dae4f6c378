package pointread

import (
	"sync"
	"time"
)

// Background does a job again and again in the background, soon after it was
// asked for. There is no goroutine while there is nothing to do.
type Background struct {
	job     func()
	mu      sync.Mutex
	asked   bool
	running bool
	closed  chan struct{}
	done    sync.WaitGroup
}

// NewBackground returns a Background for a job.
func NewBackground(job func()) *Background { return &Background{job: job, closed: make(chan struct{})} }

// Ask has the job done, unless Close was called.
func (b *Background) Ask() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = true
	if !b.running && !b.isClosed() {
		b.running = true
		b.done.Go(b.run)
	}
}

const (
	pause = 100 * time.Millisecond // before a job, so that what is asked for meanwhile is one
	share = 20                     // of the time, one part is for jobs
)

func (b *Background) run() {
	for took := time.Duration(0); b.mustGoOn(); {
		select {
		case <-b.closed:
		case <-time.After(max(pause, share*took)):
			began := time.Now()
			b.job()
			took = time.Since(began)
		}
	}
}

// mustGoOn reports whether the job was asked for since it was called last.
func (b *Background) mustGoOn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = b.asked && !b.isClosed()
	b.asked = false
	return b.running
}

func (b *Background) isClosed() bool {
	select {
	case <-b.closed:
		return true
	default:
		return false
	}
}

// Close waits for a job that is being done. None begins any more.
func (b *Background) Close() {
	b.mu.Lock()
	if !b.isClosed() {
		close(b.closed)
	}
	b.mu.Unlock()
	b.done.Wait()
}
