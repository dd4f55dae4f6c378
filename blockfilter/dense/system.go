package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// denseSystem is the system of a line's keys, with as many slots as keys or a
// few more.
//
// As many random equations as slots have a solution with probability 0.29 only.
// So the coefficients of the six lowest slots are left to the end. There are 16
// choices of them, the windows. After the elimination of the other slots 98 %
// of the systems have no more than six equations left, and the first window
// with which these have a solution is taken. That is one elimination instead of
// four.
type denseSystem struct {
	// Whole cache lines, which kernels load and store.
	words   gf2.Words // of the low equations
	others  [gf2.WordSlots]uint64
	slots   [gf2.WordSlots]uint64 // below 64, a bit for each column
	columns [gf2.WordSlots]uint64 // of the slots below 64

	high  [maxDense]equation // in echelon form: none, or the highest coefficient is at its own slot
	low   []equation         // without coefficients of slots from 64 on
	left  [freeSlots]uint64  // a basis of what is left of the other equations
	nLeft int
	above [maxColumns]uint64 // of the slots from 64 on
}

// solve stores the columns of the solution in line and returns their window. It
// reports false if there is none.
//
// The solution does not depend on the order of the equations: each determines
// the highest slot that it can, and slots that none determines are zero.
func (d *denseSystem) solve(line []byte, equations []equation, shape shape) (window int, ok bool) {
	low := equations
	if shape.slots > 64 {
		low = d.eliminateHigh(equations, shape.slots)
	}
	if len(low) > gf2.WordSlots || !d.eliminateLow(low, shape) {
		return 0, false
	}
	for window := range windows {
		if free, ok := d.solveFree(window); ok {
			d.fillLow(window, free)
			clear(d.above[:])
			for slot := 64; slot < shape.slots; slot++ {
				d.fillHigh(slot, window, shape.columns)
			}
			d.store(line, shape)
			return window, true
		}
	}
	return 0, false
}

// eliminateHigh eliminates the slots from 64 on. It returns the equations that
// determine none of them, but for those that are the sum of others.
func (d *denseSystem) eliminateHigh(equations []equation, slots int) []equation {
	clear(d.high[64:slots])
	d.low = d.low[:0]
next:
	for _, e := range equations {
		for e.row.Hi != 0 {
			have := &d.high[127-bits.LeadingZeros64(e.row.Hi)]
			if have.row.Hi == 0 {
				*have = e
				continue next
			}
			e.row.Lo ^= have.row.Lo
			e.row.Hi ^= have.row.Hi
			e.other ^= have.other
		}
		if e != (equation{}) {
			d.low = append(d.low, e)
		}
	}
	return d.low
}

// eliminateLow eliminates the slots below 64 but the free ones. It reports
// false if more equations are left than there are free slots.
func (d *denseSystem) eliminateLow(equations []equation, shape shape) bool {
	w, unused := &d.words, fingerprintShift-shape.columns
	for i, e := range equations {
		w.Slots[i], w.Values[i] = e.row.Lo, e.other<<unused
	}
	clear(w.Slots[len(equations):])
	clear(w.Values[len(equations):])
	gf2.Transpose(&w.Slots, &w.Slots)
	gf2.Transpose(&w.Values, &w.Values)
	used := fingerprintShift - freeShift + shape.columns
	left := w.Eliminate(freeSlots, min(shape.slots, gf2.WordSlots)-1, used, 1<<len(equations)-1)
	gf2.Transpose(&d.others, &w.Values)
	for i := range equations {
		d.others[i] >>= unused
	}

	d.nLeft = 0
	mask := otherMask(shape.columns)
	for ; left != 0; left &= left - 1 {
		if !d.leave(d.others[bits.TrailingZeros64(left)] & mask) {
			return false
		}
	}
	return true
}

// otherMask has the bits of equation.other that count: the coefficients of the
// free slots, in any window, and the values of the columns.
func otherMask(columns int) uint64 {
	return (1<<(freeSlots+windows-1)-1)<<freeShift | (1<<columns-1)<<fingerprintShift
}

// leave adds what is left of an equation to a basis. It reports false if that
// would have more elements than there are free slots.
func (d *denseSystem) leave(other uint64) bool {
	for _, b := range d.left[:d.nLeft] {
		other = min(other, other^b)
	}
	if other == 0 {
		return true
	}
	if d.nLeft == freeSlots {
		return false
	}
	d.left[d.nLeft] = other
	d.nLeft++
	return true
}

// solveFree returns the bits of the free slots in all columns, or false if the
// equations left have no solution for a window.
func (d *denseSystem) solveFree(window int) (values [freeSlots]uint32, ok bool) {
	var rows [freeSlots]uint64
	for _, other := range d.left[:d.nLeft] {
		e := equation{other: other}
		row, value := e.free(window), e.fingerprint()
		for row != 0 {
			slot := bits.Len64(row) - 1
			if rows[slot] == 0 {
				rows[slot], values[slot] = row, value
				break
			}
			row ^= rows[slot]
			value ^= values[slot]
		}
		if row == 0 && value != 0 {
			return values, false
		}
	}
	for slot, row := range rows {
		row &^= 1 << slot
		for ; row != 0; row &= row - 1 {
			values[slot] ^= values[bits.TrailingZeros64(row)]
		}
	}
	return values, true
}

// fillLow fills in the slots below 64 of the columns. A slot's bits are the
// value of the equation that determines it, and the free slots that this one
// selects.
func (d *denseSystem) fillLow(window int, free [freeSlots]uint32) {
	var sums [1 << freeSlots]uint32
	slots := &d.slots
	clear(slots[:])
	for i, value := range free {
		for b, sum := range sums[:1<<i] {
			sums[1<<i|b] = sum ^ value
		}
		slots[i] = uint64(value)
	}
	for slot := freeSlots; slot < gf2.WordSlots; slot++ {
		if key := d.words.Pivots[slot]; key != gf2.NoPivot {
			e := equation{other: d.others[key%gf2.WordSlots]}
			slots[slot] = uint64(e.fingerprint() ^ sums[e.free(window)])
		}
	}
	gf2.Transpose(&d.columns, slots)
}

// fillHigh computes the bits of a slot from 64 on from those of lower slots.
func (d *denseSystem) fillHigh(slot, window, columns int) {
	e := d.high[slot]
	row, value := e.withWindow(window), uint64(e.fingerprint())
	determined := (e.row.Hi >> (slot - 64)) & 1
	above := d.above[:columns]
	for j, hi := range above {
		sum := row.Dot(gf2.Row{Lo: d.columns[j], Hi: hi}) ^ value
		above[j] = hi | sum&determined<<(slot-64)
		value >>= 1
	}
}

// store stores the columns in line.
func (d *denseSystem) store(line []byte, shape shape) {
	for j, column := range d.columns[:shape.columns] {
		at := headerBits + j*shape.slots
		gf2.Or(line, at, column)
		if shape.slots > 64 {
			gf2.Or(line, at+64, d.above[j])
		}
	}
}
