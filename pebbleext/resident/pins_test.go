package resident

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// TestMemoryIsNotReusedWhileItIsRead holds a pin: whatever takes a block away,
// moves it or changes it must not return.
func TestMemoryIsNotReusedWhileItIsRead(t *testing.T) {
	for name, do := range map[string]func(a *arena, first, second *filter) error{
		"remove": func(a *arena, first, _ *filter) error {
			a.remove(first)
			return nil
		},
		"move": func(a *arena, first, _ *filter) error {
			a.moveDown(1, 2)
			return nil
		},
		"change": func(a *arena, first, _ *filter) error {
			a.change(first, func(block []byte) int { return len(block) - 1 })
			return nil
		},
		"resize": func(a *arena, _, _ *filter) error { return a.resize(2 * a.size()) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newArena(t, 10_000)
			first, block := patterned(1, 1000)
			require.True(t, a.put(first, block))
			second, block := patterned(2, 1000)
			require.True(t, a.put(second, block))
			pin := a.pins.hold(0)
			defer pin.release()
			epoch := a.pins.epoch.Load()
			done := make(chan error, 1)
			go func() { done <- do(a, first, second) }()
			for a.pins.epoch.Load() == epoch { // until it waits
				require.Empty(t, done, "it does not wait")
				runtime.Gosched()
			}
			require.Empty(t, done, "it did not wait")
			pin.release()
			require.NoError(t, <-done)
		})
	}
}

// TestBlocksAreWholeWhenPublished looks at the last byte of a large block while
// it comes and is moved, which takes a while.
func TestBlocksAreWholeWhenPublished(t *testing.T) {
	const size = 8 << 20
	a := newArena(t, 0)
	first, firstBlock := patterned(1, size)
	second, secondBlock := patterned(2, size)
	var stop atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for !stop.Load() {
			pin := a.pins.hold(0)
			if at := second.block.Load(); at != nil && second.bytes(at)[size-1] != 2 {
				t.Error("a block is published before it is whole")
				stop.Store(true)
			}
			pin.release()
		}
	})
	for range 5 {
		require.NoError(t, a.resize(2*size))
		require.True(t, a.put(first, firstBlock))
		require.True(t, a.put(second, secondBlock))
		a.remove(first)
		a.moveDown(0, 1)
		require.NoError(t, a.resize(size))
		a.remove(second)
		require.NoError(t, a.resize(0))
	}
	stop.Store(true)
	reader.Wait()
}

// TestNoAnswerWithoutPin takes all pins: a filter that would deny a key is not
// read.
func TestNoAnswerWithoutPin(t *testing.T) {
	f := newTestFilters(t)
	property, err := table(f, keys(0, 100), keys(0, 100))
	require.NoError(t, err)
	f.active.Store(true)
	absent := slices.DeleteFunc(keys(1000, 100), func(key []byte) bool { return mayHave(t, f, key, property) })
	require.NotEmpty(t, absent)
	for home := range uint32(len(f.pins.pins)) {
		pin := f.pins.hold(home)
		require.NotNil(t, pin)
		defer pin.release()
	}
	for _, key := range absent {
		require.True(t, mayHave(t, f, key, property))
	}
}

func newTestFilters(t testing.TB) *Filters {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// mayHave asks the filter that a property names for a key.
func mayHave(t testing.TB, f *Filters, key, property []byte) bool {
	q := f.Query(key)
	defer q.Done()
	may, err := q.Intersects(property)
	require.NoError(t, err)
	return may
}

// TestLastKeyOfTable: a batch in key order has left a table only behind its
// last key.
func TestLastKeyOfTable(t *testing.T) {
	f := newTestFilters(t)
	f.compare = pebble.DefaultComparer.Compare
	q := f.Query([]byte("b"))
	defer q.Done()
	q.open(tableOpened{&filter{last: []byte("c")}, true})
	q.open(tableOpened{&filter{last: []byte("e")}, true})
	require.True(t, q.Next([]byte("e"), func() uint64 { return 0 }), "a table for which no filter answers is excluded")
}

// TestBarred: a filter that must not be asked is not known, wherever it comes
// from.
func TestBarred(t *testing.T) {
	f := newTestFilters(t)
	block := []byte("block")
	h := head{id: identify(filterpolicy.Name, block), policy: filterpolicy.Bloom(10), size: len(block)}
	f.mu.Lock()
	f.bar(map[identity]bool{h.id: true})
	f.mu.Unlock()
	f.handOver(h, block, nil)
	require.Zero(t, f.Stats().Known)
	known, err := f.admit(tableFile{number: 1}, h)
	require.NoError(t, err)
	require.Zero(t, known)
	h.id[0]++
	f.handOver(h, block, nil)
	require.Equal(t, 1, f.Stats().Filters)
}

// TestTwins hands one block over twice, as tables with equal filters do.
func TestTwins(t *testing.T) {
	f := newTestFilters(t)
	block := []byte("block")
	h := head{id: identify(filterpolicy.Name, block), policy: filterpolicy.Bloom(10), size: len(block)}
	for range 2 {
		f.handOver(h, block, nil)
		s := f.Stats()
		require.Equal(t, 1, s.Filters)
		require.EqualValues(t, 1, s.HandedOver)
		require.EqualValues(t, lineSize+filterBytes, s.Used)
	}
}
