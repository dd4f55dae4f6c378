// Package absent measures what lookups of absent keys cost a program's store:
// reads of .sst files below Pebble's block cache, which are exact and do not
// depend on the machine.
package absent

import (
	"strings"
	"sync/atomic"
	"testing"

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

// Measure returns the cost of looking up the absent keys i, first of four times
// as many others: caches fill.
func Measure(t testing.TB, counter *Counter, has func(i int) (bool, error)) Cost {
	t.Helper()
	run := func(first int) {
		for i := range lookups {
			found, err := has(first + i)
			require.NoError(t, err)
			require.False(t, found)
		}
	}
	for i := range 4 {
		run(i * lookups)
	}
	reads, bytes := counter.reads.Load(), counter.bytes.Load()
	run(4 * lookups)
	return Cost{
		Reads: float64(counter.reads.Load()-reads) / lookups,
		KiB:   float64(counter.bytes.Load()-bytes) / lookups / 1024,
	}
}

// RequireFewer logs both costs and checks that a lookup with Gravel takes at
// most a fifth of the reads that the program takes without.
func RequireFewer(t testing.TB, program, gravel Cost) {
	t.Helper()
	t.Logf("per absent lookup: program %.3f reads, %.2f KiB; Gravel %.3f reads, %.2f KiB",
		program.Reads, program.KiB, gravel.Reads, gravel.KiB)
	require.Less(t, gravel.Reads, program.Reads/5)
	require.Less(t, gravel.KiB, program.KiB/5)
}
