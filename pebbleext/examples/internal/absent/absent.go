// Package absent measures what lookups of absent keys cost a program's store:
// reads of .sst files below Pebble's block cache, which are exact and do not
// depend on the machine.
package absent

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Counter counts reads of .sst files. It is safe for concurrent use.
type Counter struct{ reads, bytes atomic.Int64 }

// Add counts a read of so many bytes.
func (c *Counter) Add(bytes int) {
	c.reads.Add(1)
	c.bytes.Add(int64(bytes))
}

// Counts reports whether reads of a file are to be counted.
func Counts(name string) bool { return strings.HasSuffix(name, ".sst") }

// Cost is what a lookup takes on average.
type Cost struct{ Reads, KiB float64 }

// Store is a program's store, on either version of Pebble.
type Store struct {
	Set          func(key, value []byte) error
	Has          func(key []byte) (bool, error)
	Flush, Close func() error
	// Levels returns the bytes in each level, and whether no compaction runs.
	Levels func() (bytes []int64, quiet bool)
}

// Fill has n records of 40 to 100 MB written into four levels, as hundreds of
// gigabytes fill with Pebble's own options: into a store of small levels, and the
// last ones into L0, without compactions.
func Fill(t testing.TB, n int, small, quiet func() Store, write func(store Store, i int)) {
	t.Helper()
	split := n - n/400
	store := small()
	for i := range split {
		write(store, i)
	}
	require.NoError(t, store.Flush())
	require.Eventually(t, func() bool {
		bytes, quiet := store.Levels()
		return quiet && bytes[0] == 0
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, store.Close())

	store = quiet()
	for i := split; i < n; i++ {
		write(store, i)
	}
	require.NoError(t, store.Flush())
	require.NoError(t, store.Close())
}

const lookups = 10_000

// Measure returns the cost of looking up absent keys i, after three seconds or
// more of looking up others: caches fill, and filters come into memory. The store
// must have tables in four levels or more, and more than five times the bytes of
// its block cache.
func Measure(t testing.TB, store Store, cacheSize int64, counter *Counter, key func(i int) []byte) Cost {
	t.Helper()
	var levels, total int64
	bytes, _ := store.Levels()
	for _, b := range bytes {
		levels += min(b, 1)
		total += b
	}
	require.GreaterOrEqual(t, levels, int64(4), "%d", bytes)
	require.Greater(t, total, 5*cacheSize)
	i := 0
	run := func() {
		for range lookups {
			found, err := store.Has(key(i))
			require.NoError(t, err)
			require.False(t, found)
			i++
		}
	}
	for start := time.Now(); i < 20*lookups || time.Since(start) < 3*time.Second; {
		run()
	}
	before := Cost{float64(counter.reads.Load()), float64(counter.bytes.Load())}
	run()
	return Cost{
		Reads: (float64(counter.reads.Load()) - before.Reads) / lookups,
		KiB:   (float64(counter.bytes.Load()) - before.KiB) / lookups / 1024,
	}
}

// RequireFewer logs the costs, l6 that of an iterator that asks Pebble's filters
// of all levels (UseL6Filters). It checks that a lookup with Gravel takes at most
// a fifth of the reads that the program takes.
func RequireFewer(t testing.TB, program, l6, gravel Cost) {
	t.Helper()
	t.Logf("reads and KiB of an absent lookup: program %.3f, %.2f; UseL6Filters %.3f, %.2f; Gravel %.3f, %.2f",
		program.Reads, program.KiB, l6.Reads, l6.KiB, gravel.Reads, gravel.KiB)
	require.Less(t, gravel.Reads, program.Reads/5)
	require.Less(t, gravel.KiB, program.KiB/5)
}
