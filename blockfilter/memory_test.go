package blockfilter_test

import (
	"encoding/binary"
	"flag"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var tableKeys = flag.Int("table-keys", 100_000, "keys of each of the four tables of TestMemoryOfBuilds")

// TestMemoryOfBuilds builds the filters of four tables at once and holds the
// heap to what the families promise: 8 bytes a key for hashes, a family's
// scratch, and the blocks.
func TestMemoryOfBuilds(t *testing.T) {
	const tables = 4
	const mostRibbonScratch = 256 << 20 // of all builds together
	n := tables * *tableKeys
	for _, c := range []struct {
		text    string
		scratch int // bytes in all
		blocks  int // more copies of the blocks
	}{
		{"bloom:10", 0, 0},
		{"bloom:10,layout=flat", 0, 0},
		{"twochoice:10", 8 * n, 0},
		{"dense:10", 8 * n, 0},
		{"ribbon:8", min(22*n, mostRibbonScratch), 0},
		{"compressed:8", 8 * n, 1}, // with a copy of the block
	} {
		t.Run(c.text, func(t *testing.T) {
			blocks := make([][]byte, tables)
			used := heapOf(func() {
				var wg sync.WaitGroup
				for table := range tables {
					wg.Go(func() {
						w := policy(t, c.text).NewWriter()
						for i := range *tableKeys {
							w.AddKey(binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(i)))
						}
						blocks[table] = w.Finish(nil)
					})
				}
				wg.Wait()
			})
			size := 0
			for _, block := range blocks {
				size += len(block)
			}
			bound := 8*n + c.scratch + (1+c.blocks)*size
			t.Logf("%.1f bytes a key at the peak, of %.1f", float64(used)/float64(n), float64(bound)/float64(n))
			// A tenth may be garbage, as the collector is set below.
			require.Less(t, used, bound+bound/10+2<<20)
		})
	}
}

// heapOf returns the most bytes on the heap while do runs, beyond those before.
func heapOf(do func()) (most int) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	runtime.GC() // twice, to empty pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := int(m.HeapAlloc)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		runtime.ReadMemStats(&m)
		most = max(most, int(m.HeapAlloc)-before)
		select {
		case <-done:
			return most
		case <-time.After(time.Millisecond):
		}
	}
}
