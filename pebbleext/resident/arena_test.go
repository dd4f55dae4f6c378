package resident

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func newArena(t testing.TB, size int) *arena {
	a := &arena{pins: newPins()}
	require.NoError(t, a.resize(size))
	t.Cleanup(func() {
		a.remove(slices.Clone(a.blocks)...)
		require.NoError(t, a.resize(0))
	})
	return a
}

// patterned returns a block that is told from all others by each of its bytes,
// nearly.
func patterned(seed byte, size int) (*filter, []byte) {
	block := make([]byte, size)
	for i := range block {
		block[i] = seed
	}
	return &filter{head: head{size: size}}, block
}

func (a *arena) check(t testing.TB, blocks map[*filter][]byte) {
	require.Len(t, a.blocks, len(blocks))
	used, end := 0, 0
	for _, e := range a.blocks {
		require.GreaterOrEqual(t, e.mu.offset, end, "blocks overlap")
		end = e.mu.offset + e.size
		used += roundUp(e.size)
		first := e.block.Load()
		require.Zero(t, uintptr(unsafe.Pointer(first))%lineSize)
		require.True(t, bytes.Equal(blocks[e], e.bytes(first)))
	}
	require.LessOrEqual(t, end, a.size())
	require.Equal(t, used, a.used)
}

// TestArenaUsesAll puts and removes blocks at random. Whatever fits in total
// fits, with all blocks whole.
func TestArenaUsesAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	a := newArena(t, 100_000)
	blocks := map[*filter][]byte{}
	for range 1000 {
		switch rng.IntN(20) {
		default:
			e, block := patterned(byte(rng.Uint32()), 1+rng.IntN(9000))
			fits := a.used+roundUp(e.size) <= a.size()
			require.Equal(t, fits, a.put(e, block))
			if fits {
				blocks[e] = block
			}
		case 0, 1, 2, 3, 4, 5, 6, 7, 8:
			if len(a.blocks) > 0 {
				e := a.blocks[rng.IntN(len(a.blocks))]
				a.remove(e)
				require.False(t, e.isResident())
				delete(blocks, e)
			}
		case 9:
			require.NoError(t, a.resize(a.used+rng.IntN(100_000)))
		}
		a.check(t, blocks)
	}
}

func TestResizeOverLargePages(t *testing.T) {
	a := newArena(t, 4*largePage)
	blocks := map[*filter][]byte{}
	for i := range 3 {
		e, block := patterned(byte(i+1), largePage+i)
		require.True(t, a.put(e, block))
		blocks[e] = block
	}
	require.NoError(t, a.resize(20*largePage))
	a.check(t, blocks)
	require.NoError(t, a.resize(a.used))
	a.check(t, blocks)
}

// TestQueriesSeeWholeBlocks reads blocks while they are evicted, moved and
// overwritten: a reader with a pin sees nothing of another block.
func TestQueriesSeeWholeBlocks(t *testing.T) {
	a := newArena(t, 64_000)
	entries := make([]*filter, 16)
	blocks := make([][]byte, len(entries))
	for i := range entries {
		entries[i], blocks[i] = patterned(byte(i+1), 1000+i*700)
	}
	var stop atomic.Bool
	var reads atomic.Int64
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			home := rand.Uint32()
			for !stop.Load() {
				i := rand.IntN(len(entries))
				pin := a.pins.hold(home)
				if pin == nil {
					continue
				}
				if first := entries[i].block.Load(); first != nil {
					reads.Add(1)
					if !bytes.Equal(blocks[i], entries[i].bytes(first)) {
						t.Errorf("block %d has other bytes", i)
						stop.Store(true)
					}
				}
				pin.release()
			}
		})
	}
	for turn := 0; !stop.Load() && (turn < 500 || reads.Load() < 20_000); turn++ {
		e := rand.IntN(len(entries))
		if entries[e].isResident() {
			a.remove(entries[e])
		} else {
			a.put(entries[e], blocks[e])
		}
		if turn%30 == 0 {
			require.NoError(t, a.resize(a.used+rand.IntN(20_000)))
		}
	}
	stop.Store(true)
	readers.Wait()
}

// TestWaitWaits holds a pin: what was taken away is not reused before it is
// released, and pins that are taken later do not matter.
func TestWaitWaits(t *testing.T) {
	p := newPins()
	held := p.hold(0)
	var done atomic.Bool
	var waiting sync.WaitGroup
	waiting.Go(func() {
		p.wait()
		done.Store(true)
	})
	for p.epoch.Load() == 1 {
	}
	later := p.hold(1)
	require.NotNil(t, later)
	require.False(t, done.Load())
	held.release()
	waiting.Wait()
	later.release()
}

func TestPinsRunOut(t *testing.T) {
	p := newPins()
	var held []*pin
	for home := uint32(0); ; home++ {
		pin := p.hold(home)
		if pin == nil {
			break
		}
		held = append(held, pin)
	}
	require.Len(t, held, len(p.pins))
	for _, pin := range held {
		pin.release()
	}
	p.wait()
}
