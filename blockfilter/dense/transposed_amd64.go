//go:build !purego

package dense

import (
	"math/bits"

	"golang.org/x/sys/cpu"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

var useTransposed = useAVX512 && cpu.X86.HasBMI1 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI

// maxTransposed is the most slots and keys of a system whose words have a bit
// for each.
const maxTransposed = 64

// transposedSystem is a denseSystem of which a word is a slot's coefficients in
// the equations of all keys. A pivot is the lowest bit of such a word, and one
// masked instruction adds it to eight words.
type transposedSystem struct {
	rows, others  [maxTransposed]uint64 // of keys
	slots, turned [maxTransposed]uint64 // rows and others transposed
	pivots        [maxTransposed]uint8  // the key that determines each slot
}

// noPivot is for slots that no key determines.
const noPivot = 0xff

// solve stores the columns of the solution in line and returns their window. It
// reports false if there is none.
func (d *denseSystem) solve(line []byte, equations []equation, shape shape) (window int, ok bool) {
	if useTransposed && shape.slots <= maxTransposed {
		var t transposedSystem
		return t.solve(d, line, equations, shape)
	}
	return d.solveGeneric(line, equations, shape)
}

// solve is denseSystem.solve, of which d keeps the equations that are left.
func (t *transposedSystem) solve(d *denseSystem, line []byte, equations []equation, shape shape) (window int, ok bool) {
	for i, e := range equations {
		t.rows[i], t.others[i] = e.row.Lo, e.other
	}
	clear(t.rows[len(equations):])
	clear(t.others[len(equations):])
	transpose(&t.slots, &t.rows)
	transpose(&t.turned, &t.others)
	for i := range t.pivots {
		t.pivots[i] = noPivot
	}
	left := eliminate(&t.slots, &t.turned, shape.slots, 1<<len(equations)-1, &t.pivots)
	transpose(&t.others, &t.turned)

	d.nLeft = 0
	mask := otherMask(shape.columns)
	for ; left != 0; left &= left - 1 {
		if !d.leave(t.others[bits.TrailingZeros64(left)] & mask) {
			return 0, false
		}
	}
	for window := range windows {
		if free, ok := d.solveFree(window); ok {
			t.store(line, window, free, shape)
			return window, true
		}
	}
	return 0, false
}

// store stores the columns of the solution. A slot's bits are the value of the
// key that determines it, whose coefficients of the free slots still count.
func (t *transposedSystem) store(line []byte, window int, free [freeSlots]uint32, shape shape) {
	var sums [1 << freeSlots]uint32
	for i, value := range free {
		for b, sum := range sums[:1<<i] {
			sums[1<<i|b] = sum ^ value
		}
		t.rows[i] = uint64(value)
	}
	for slot := freeSlots; slot < maxTransposed; slot++ {
		t.rows[slot] = 0
		if key := t.pivots[slot]; key != noPivot {
			e := equation{other: t.others[key%maxTransposed]}
			t.rows[slot] = uint64(e.fingerprint() ^ sums[e.free(window)])
		}
	}
	transpose(&t.slots, &t.rows)
	for j, column := range t.slots[:shape.columns] {
		gf2.Or(line, headerBits+j*shape.slots, column)
	}
}

// transpose sets bit i of word j of to to bit j of word i of from.
//
//go:noescape
func transpose(to, from *[64]uint64)

// eliminate brings the slots from m−1 down to freeSlots to reduced echelon form
// (Gauss and Jordan): it adds the equations of pivots, chosen among the keys that
// are left, to those of all other keys in slots and others. It stores the
// pivots, and returns the keys that are none.
//
//go:noescape
func eliminate(slots, others *[64]uint64, m int, left uint64, pivots *[64]uint8) (stillLeft uint64)
