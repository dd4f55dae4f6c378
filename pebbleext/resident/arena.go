package resident

import (
	"math"
	"slices"
	"unsafe"
)

const (
	lineSize  = 64      // of the processor's caches, and of the blocks' lines
	largePage = 2 << 20 // of x86-64 and arm64
)

// alignTo returns b from its first multiple of size on.
func alignTo(b []byte, size uintptr) []byte {
	past := uintptr(unsafe.Pointer(unsafe.SliceData(b))) % size
	return b[(size-past)%size:]
}

// roundUp returns the bytes that a block of n takes.
func roundUp(n int) int { return (n + lineSize - 1) / lineSize * lineSize }

// arena is a region and the blocks in it, each at the start of a line. Blocks
// move towards the start when the space between them is needed, so that all of
// a region can be used.
type arena struct {
	region region
	blocks []*filter // in the order of their places
	used   int       // bytes of blocks, rounded up
	// written is up to where memory may have been taken from the machine.
	written int
	pins    *pins
}

// size returns the bytes that there are for blocks.
func (a *arena) size() int { return len(a.region.bytes) }

// put publishes a copy of e's block. It reports false if there is no space
// for it at all.
func (a *arena) put(e *filter, block []byte) bool {
	n := roundUp(len(block))
	if a.used+n > a.size() {
		return false
	}
	at := a.makeGap(n)
	e.mu.offset = a.end(at - 1)
	a.blocks = slices.Insert(a.blocks, at, e)
	a.used += n
	e.held = copy(a.region.bytes[e.mu.offset:], block)
	a.written = max(a.written, e.mu.offset+n)
	a.publish(e)
	return true
}

// publish lets queries have e's block.
func (a *arena) publish(e *filter) { e.block.Store(&a.region.bytes[e.mu.offset]) }

// change makes e's block another one in its place, which is not longer: do gets
// the bytes and returns the length of what it leaves. Meanwhile the filter
// answers no query.
func (a *arena) change(e *filter, do func(block []byte) int) {
	e.block.Store(nil)
	a.pins.wait()
	a.used -= roundUp(e.held)
	e.held = do(a.region.bytes[e.mu.offset:][:e.held])
	a.used += roundUp(e.held)
	a.publish(e)
}

// remove takes the blocks of filters away, if they have some, and returns once
// no query reads them.
func (a *arena) remove(filters ...*filter) {
	gone := make(map[*filter]bool, len(filters))
	for _, e := range filters {
		if e.isResident() {
			e.block.Store(nil)
			gone[e] = true
			a.used -= roundUp(e.held)
		}
	}
	a.pins.wait()
	a.blocks = slices.DeleteFunc(a.blocks, func(e *filter) bool { return gone[e] })
}

// end returns where block i ends, 0 for none.
func (a *arena) end(i int) int {
	if i < 0 {
		return 0
	}
	return a.blocks[i].mu.offset + roundUp(a.blocks[i].held)
}

// gap returns the free bytes before block i, or behind the last.
func (a *arena) gap(i int) int {
	next := a.size()
	if i < len(a.blocks) {
		next = a.blocks[i].mu.offset
	}
	return next - a.end(i-1)
}

// makeGap makes a gap of n bytes, which are free in total, and returns before
// which block it is. Of all runs of blocks, of none too, with enough space
// around and between them it moves the one with fewest bytes, and of those the
// one with the least space.
func (a *arena) makeGap(n int) int {
	if a.gap(len(a.blocks)) >= n {
		return len(a.blocks)
	}
	first, last, fewest, least := 0, 0, math.MaxInt, math.MaxInt
	from, free, bytes := 0, 0, 0
	for to := range len(a.blocks) + 1 {
		free += a.gap(to)
		for from < to && free-a.gap(from) >= n {
			free -= a.gap(from)
			bytes -= roundUp(a.blocks[from].held)
			from++
		}
		if free >= n && (bytes < fewest || bytes == fewest && free < least) {
			first, last, fewest, least = from, to, bytes, free
		}
		if to < len(a.blocks) {
			bytes += roundUp(a.blocks[to].held)
		}
	}
	a.moveDown(first, last)
	return last
}

// moveDown closes the gaps before blocks first to last-1. Until a block is in
// its new place it answers no query.
func (a *arena) moveDown(first, last int) {
	moved := a.blocks[first:last]
	if len(moved) == 0 {
		return
	}
	for _, e := range moved {
		e.block.Store(nil)
	}
	a.pins.wait()
	to := a.end(first - 1)
	for _, e := range moved {
		n := roundUp(e.held)
		copy(a.region.bytes[to:to+n], a.region.bytes[e.mu.offset:e.mu.offset+n])
		e.mu.offset = to
		a.publish(e)
		to += n
	}
}

// trim closes gaps that are a 32nd of what is taken or more, block by block, and
// gives the memory behind the last block back to the machine.
func (a *arena) trim() {
	end := a.end(len(a.blocks) - 1)
	if end-a.used > end/32 {
		for i := range a.blocks {
			if a.gap(i) > 0 {
				a.moveDown(i, i+1)
			}
		}
		end = a.used
	}
	const page = 64 << 10 // a multiple of those of all machines
	from, to := (end+page-1)/page*page, min((a.written+page-1)/page*page, a.size()/page*page)
	if from < to {
		a.region.discard(from, to)
		a.written = end
	}
}

// resize moves all blocks, which fit, to a region of another size. Beside that
// region it takes the memory of what was not moved yet.
func (a *arena) resize(size int) error {
	next, err := newRegion(size)
	if err != nil {
		return err
	}
	old, to, discarded := a.region, 0, 0
	a.region = next
	for _, e := range a.blocks {
		e.block.Store(nil)
		a.pins.wait()
		n, from := roundUp(e.held), e.mu.offset
		copy(next.bytes[to:to+n], old.bytes[from:from+n])
		e.mu.offset = to
		a.publish(e)
		to += n
		if done := (from + n) / largePage * largePage; done > discarded {
			old.discard(discarded, done)
			discarded = done
		}
	}
	old.free()
	a.written = to
	return nil
}
