// The race detector takes memory of its own.

//go:build !race

package resident

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// processMemory returns the bytes of the machine's memory that the process has.
func processMemory(t *testing.T) (bytes int64) {
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int64
	_, err = fmt.Sscan(string(statm), &size, &pages)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}

// handOver hands over n blocks of one size.
func handOver(f *Filters, from, n, size int) {
	block := make([]byte, size)
	for i := range block {
		block[i] = 1
	}
	policy := filterpolicy.Bloom(10)
	for i := range n {
		var id identity
		binary.LittleEndian.PutUint64(id[:], uint64(from+i)*0x9e3779b97f4a7c15)
		h := head{id: id, policy: policy, size: size}
		f.handOver(h, block, fmt.Appendf(nil, "the last key %08d", i))
	}
}

// TestBudgetIsMemory compares budgets with what the process has, as filters
// come, are evicted and moved, and go.
func TestBudgetIsMemory(t *testing.T) {
	const budget = 256 << 20
	for _, size := range []int{3_000_000, 64 << 10} {
		before := processMemory(t)
		f, err := New(Settings{Budget: budget})
		require.NoError(t, err)
		for i, b := range []int64{budget, budget / 4, budget / 2, 0} {
			require.NoError(t, f.SetBudget(b))
			handOver(f, i<<20, int(b)/size+100, size)
			s := f.Stats()
			t.Logf("%d filters of %d bytes: a budget of %d bytes, %d used, %d of the process",
				s.Filters, size, b, s.Used, processMemory(t)-before)
			require.LessOrEqual(t, s.Used, b)
			require.Greater(t, s.Used, b-b/20-int64(size))
			require.InDelta(t, b, processMemory(t)-before, 0.02*budget+float64(size), "%+v", s)
		}
		require.NoError(t, f.Close())
	}
}

// TestEntryBytes compares what the budget is charged for a known filter with
// what it takes on the heap.
func TestEntryBytes(t *testing.T) {
	const n = 20_000
	f, err := New(Settings{Budget: n * (filterBytes + lineSize)})
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	before := processMemory(t)
	handOver(f, 0, n, 1)
	f.background.files = make(map[uint64]knownTable)
	number := uint64(0)
	for e := range f.directory.all() {
		number++
		f.background.files[number] = knownTable{filter: e}
	}
	require.EqualValues(t, n, f.Stats().Filters)
	took := float64(processMemory(t)-before)/n - lineSize
	t.Logf("%.0f bytes", took)
	require.Less(t, took, 1.1*filterBytes)
}
