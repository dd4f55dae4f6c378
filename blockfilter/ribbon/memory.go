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
	inUse    = scratchLimit{ready: sync.NewCond(new(sync.Mutex))}
)

// scratchLimit counts the scratch in use.
type scratchLimit struct {
	ready *sync.Cond
	bytes int
}

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
	inUse.add(-n * scratchPerKey)
}

// add adds n bytes, waiting for room if n is positive.
func (s *scratchLimit) add(n int) {
	s.ready.L.Lock()
	defer s.ready.L.Unlock()
	for n > 0 && s.bytes > 0 && s.bytes+n > maxScratch {
		s.ready.Wait()
	}
	s.bytes += n
	if n < 0 {
		s.ready.Broadcast()
	}
}
