package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

var useTransposed = gf2.HasVectors

// transposedSystem is a denseSystem as words of gf2.
type transposedSystem struct {
	rows, others  [gf2.WordSlots]uint64 // of keys
	slots, turned [gf2.WordSlots]uint64 // rows and others transposed
	pivots        [gf2.WordSlots]uint8  // the key that determines each slot
}

// solve stores the columns of the solution in line and returns their window. It
// reports false if there is none.
func (d *denseSystem) solve(line []byte, equations []equation, shape shape) (window int, ok bool) {
	if useTransposed && shape.slots <= gf2.WordSlots {
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
	gf2.Transpose(&t.slots, &t.rows)
	gf2.Transpose(&t.turned, &t.others)
	for i := range t.pivots {
		t.pivots[i] = gf2.NoPivot
	}
	left := gf2.Eliminate(&t.slots, &t.turned, freeSlots, shape.slots-1, 1<<len(equations)-1, &t.pivots)
	gf2.Transpose(&t.others, &t.turned)

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
	for slot := freeSlots; slot < gf2.WordSlots; slot++ {
		t.rows[slot] = 0
		if key := t.pivots[slot]; key != gf2.NoPivot {
			e := equation{other: t.others[key%gf2.WordSlots]}
			t.rows[slot] = uint64(e.fingerprint() ^ sums[e.free(window)])
		}
	}
	gf2.Transpose(&t.slots, &t.rows)
	for j, column := range t.slots[:shape.columns] {
		gf2.Or(line, headerBits+j*shape.slots, column)
	}
}
