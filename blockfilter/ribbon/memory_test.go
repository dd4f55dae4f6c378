package ribbon

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

// TestScratchIsBounded runs builders whose scratch is a third of the limit and
// one that exceeds it alone.
func TestScratchIsBounded(t *testing.T) {
	var keys atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 {
		n := int64(maxScratch / scratchPerKey / 3)
		if i == 5 {
			n = 2 * maxScratch / scratchPerKey
		}
		wg.Go(func() {
			_, release := acquireBuilder(int(n))
			together := keys.Add(n)
			assert.True(t, together == n || together*scratchPerKey <= maxScratch)
			time.Sleep(time.Millisecond)
			keys.Add(-n)
			release()
		})
	}
	wg.Wait()
	require.True(t, large.TryAcquire(maxScratch), "all of it is free again")
	large.Release(maxScratch)
}

// TestSmallBuildsDoNotWait builds small filters while one large build takes all
// of the limit and another one waits for it.
func TestSmallBuildsDoNotWait(t *testing.T) {
	const (
		most    = maxScratch / scratchPerKey
		waiting = 3
	)
	_, release := acquireBuilder(20 * most)
	var wg sync.WaitGroup
	var under atomic.Int64 // way
	for range waiting {
		wg.Go(func() {
			_, release := acquireBuilder(most)
			under.Add(1)
			release()
		})
	}
	for range 100 {
		_, release := acquireBuilder(maxSmall / scratchPerKey)
		release()
	}
	for range 10 {
		build(Config{BitsPerKey: 8}, filtertest.Hashes(1000, 22))
	}
	require.Zero(t, under.Load(), "large ones wait")
	release()
	wg.Wait()
	require.EqualValues(t, waiting, under.Load())
}

// TestScratchPerKey holds the scratch of a build to what the limit counts.
func TestScratchPerKey(t *testing.T) {
	for _, n := range []int{50_000, 300_000} {
		var b builder
		_, ok := b.build(filtertest.Hashes(n, 20))
		require.True(t, ok)
		bytes := 8*cap(b.rows) + 4*cap(b.values) + 8*cap(b.sorter.sorted) + 4*cap(b.sorter.ends) +
			8*cap(b.bumped) + cap(b.codes)
		require.LessOrEqual(t, float64(bytes)/float64(n), float64(scratchPerKey))
	}
}

func TestConcurrentBuilds(t *testing.T) {
	c := Config{BitsPerKey: 8}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			hashes := filtertest.Hashes(3000*(i+1), 21)
			want := build(c, hashes)
			for range 3 {
				require.Equal(t, want, build(c, hashes))
			}
			filtertest.NoFalseNegatives(t, filtertest.Asker(want, MayContain), hashes)
		})
	}
	wg.Wait()
}
