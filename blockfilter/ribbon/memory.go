package ribbon

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// DefaultMaxScratch is the limit of SetMaxScratch until it is called.
const DefaultMaxScratch = 256 << 20

const (
	// scratchPerKey bounds the bytes of a build's scratch for each key: 8 of
	// the sorted hash, 12 of a slot's row and value, 0.4 of a bumped key, and
	// what slices hold in reserve.
	scratchPerKey = 22
	// smallShare is the part of the limit up to which a build is small, 16 MiB
	// by default, which is 760,000 keys.
	smallShare = 16
	// maxIdle bounds the scratch that a builder keeps while it waits in the
	// pool, which the garbage collector empties.
	maxIdle = 32 << 20
)

// SetMaxScratch sets the limit, in bytes, on the scratch memory of all large
// builds of the process together. A build of n keys takes up to 22·n bytes.
// Builds wait for each other in turn where their scratch would exceed the limit
// together; one that exceeds it alone waits until no other large one is under
// way. Small builds, of at most a sixteenth of the limit, neither wait nor
// count, so that a large compaction delays no flush.
//
// It holds for builds that begin from now on. Call it before the first one.
func SetMaxScratch(bytes int) { large.Store(newScratchLimit(bytes)) }

// scratchLimit is the limit on the scratch of large builds.
type scratchLimit struct {
	bytes int64
	free  *semaphore.Weighted
}

func newScratchLimit(bytes int) *scratchLimit {
	limit := max(int64(bytes), 1)
	return &scratchLimit{limit, semaphore.NewWeighted(limit)}
}

var (
	builders = sync.Pool{New: func() any { return new(builder) }}
	large    atomic.Pointer[scratchLimit]
)

func init() { SetMaxScratch(DefaultMaxScratch) }

// acquireBuilder returns a builder for n keys as soon as there is room for its
// scratch, and what gives the builder back.
func acquireBuilder(n int) (b *builder, release func()) {
	scratch := int64(n) * scratchPerKey
	free := large.Load().acquire(scratch)
	b = builders.Get().(*builder)
	return b, func() {
		if scratch <= maxIdle {
			builders.Put(b)
		}
		free()
	}
}

// acquire waits for a large build's turn. What it returns ends that.
func (l *scratchLimit) acquire(scratch int64) (free func()) {
	if scratch <= l.bytes/smallShare {
		return func() {}
	}
	held := min(scratch, l.bytes)
	_ = l.free.Acquire(context.Background(), held) // fails only if the context ends
	return func() { l.free.Release(held) }
}
