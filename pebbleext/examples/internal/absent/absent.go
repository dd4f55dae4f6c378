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

const lookups = 10_000

// Measure returns the cost of looking up absent keys i, after three seconds or
// more of looking up others: caches fill, and filters come into memory.
func Measure(t testing.TB, counter *Counter, has func(i int) (bool, error)) Cost {
	t.Helper()
	i := 0
	run := func() {
		for range lookups {
			found, err := has(i)
			require.NoError(t, err)
			require.False(t, found)
			i++
		}
	}
	for start := time.Now(); i < 20*lookups || time.Since(start) < 3*time.Second; {
		run()
	}
	reads, bytes := counter.reads.Load(), counter.bytes.Load()
	run()
	return Cost{
		Reads: float64(counter.reads.Load()-reads) / lookups,
		KiB:   float64(counter.bytes.Load()-bytes) / lookups / 1024,
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
