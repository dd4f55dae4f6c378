package ribbon

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// maxScratch is the most bytes of scratch that all large builds of the
	// process have together. A larger build waits until it is alone.
	maxScratch = 256 << 20
	// scratchPerKey bounds the bytes of a build's scratch for each key: 8 of
	// the sorted hash, 12 of a slot's row and value, 0.4 of a bumped key, and
	// what slices hold in reserve.
	scratchPerKey = 22
	// maxSmall is the scratch up to which a build is small, that of 760,000
	// keys. Small builds neither wait nor count, so that a large compaction
	// delays no flush.
	maxSmall = maxScratch / 16
	// maxIdle bounds the scratch that a builder keeps while it waits in the
	// pool, which the garbage collector empties.
	maxIdle = 32 << 20
)

var (
	builders = sync.Pool{New: func() any { return new(builder) }}
	large    = semaphore.NewWeighted(maxScratch)
)

// acquireBuilder returns a builder for n keys as soon as there is room for its
// scratch, and what gives the builder back.
func acquireBuilder(n int) (b *builder, release func()) {
	scratch := int64(n) * scratchPerKey
	free := func() {}
	if scratch > maxSmall {
		held := min(scratch, maxScratch)
		_ = large.Acquire(context.Background(), held) // fails only if the context ends
		free = func() { large.Release(held) }
	}
	b = builders.Get().(*builder)
	return b, func() {
		if scratch <= maxIdle {
			builders.Put(b)
		}
		free()
	}
}
