package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

var useWords = gf2.HasVectors

// wordSystem is the scratch of a system whose slots are words of gf2.
type wordSystem struct {
	rows, others  [gf2.WordSlots]uint64 // of keys
	slots, turned [gf2.WordSlots]uint64 // rows and others transposed
	pivots        [gf2.WordSlots]uint8  // the key that determines each slot
}

// solve is denseSystem.solveLow for up to gf2.WordSlots equations.
func (w *wordSystem) solve(d *denseSystem, equations []equation, shape shape) (window int, ok bool) {
	for i, e := range equations {
		w.rows[i], w.others[i] = e.row.Lo, e.other
	}
	clear(w.rows[len(equations):])
	clear(w.others[len(equations):])
	gf2.Transpose(&w.slots, &w.rows)
	gf2.Transpose(&w.turned, &w.others)
	for i := range w.pivots {
		w.pivots[i] = gf2.NoPivot
	}
	left := gf2.Eliminate(&w.slots, &w.turned, freeSlots, min(shape.slots, gf2.WordSlots)-1, 1<<len(equations)-1, &w.pivots)
	gf2.Transpose(&w.others, &w.turned)

	mask := otherMask(shape.columns)
	for ; left != 0; left &= left - 1 {
		if !d.leave(w.others[bits.TrailingZeros64(left)] & mask) {
			return 0, false
		}
	}
	for window := range windows {
		if free, ok := d.solveFree(window); ok {
			w.fill(d.columns[:shape.columns], window, free)
			return window, true
		}
	}
	return 0, false
}

// fill fills in the columns. A slot's bits are the value of the key that
// determines it, whose coefficients of the free slots still count.
func (w *wordSystem) fill(columns []gf2.Row, window int, free [freeSlots]uint32) {
	var sums [1 << freeSlots]uint32
	for i, value := range free {
		for b, sum := range sums[:1<<i] {
			sums[1<<i|b] = sum ^ value
		}
		w.rows[i] = uint64(value)
	}
	for slot := freeSlots; slot < gf2.WordSlots; slot++ {
		w.rows[slot] = 0
		if key := w.pivots[slot]; key != gf2.NoPivot {
			e := equation{other: w.others[key%gf2.WordSlots]}
			w.rows[slot] = uint64(e.fingerprint() ^ sums[e.free(window)])
		}
	}
	gf2.Transpose(&w.slots, &w.rows)
	for j := range columns {
		columns[j] = gf2.Row{Lo: w.slots[j]}
	}
}
