package ribbon

import "sync"

const (
	// scratchPerKey bounds the bytes of a build's scratch for each key: 8 of
	// the sorted hash, 12 of a slot's row and value, 0.4 of a bumped key, and
	// what slices hold in reserve.
	scratchPerKey = 22
	// maxScratch bounds the scratch of all builds under way together. A build
	// that alone needs more waits until it is the only one.
	maxScratch = 256 << 20
	// maxIdle bounds the scratch that a builder keeps while it waits in the
	// pool, which the garbage collector empties.
	maxIdle = 32 << 20
)

var (
	builders = sync.Pool{New: func() any { return new(builder) }}
	inUse    = scratchLimit{freed: sync.NewCond(new(sync.Mutex))}
)

// acquireBuilder waits for its share of maxScratch and returns a builder for n
// keys. It must be given back.
func acquireBuilder(n int) *builder {
	inUse.add(n * scratchPerKey)
	return builders.Get().(*builder)
}

// release gives back a builder that was acquired for n keys.
func (b *builder) release(n int) {
	if n*scratchPerKey <= maxIdle {
		builders.Put(b)
	}
	inUse.remove(n * scratchPerKey)
}

// scratchLimit counts the scratch in use.
type scratchLimit struct {
	queue sync.Mutex // held by the one that waits, so that a large build gets its turn
	freed *sync.Cond
	bytes int
}

// add adds n bytes as soon as there is room for them.
func (s *scratchLimit) add(n int) {
	s.queue.Lock()
	defer s.queue.Unlock()
	s.freed.L.Lock()
	defer s.freed.L.Unlock()
	for s.bytes > 0 && s.bytes+n > maxScratch {
		s.freed.Wait()
	}
	s.bytes += n
}

func (s *scratchLimit) remove(n int) {
	s.freed.L.Lock()
	defer s.freed.L.Unlock()
	s.bytes -= n
	s.freed.Signal()
}
