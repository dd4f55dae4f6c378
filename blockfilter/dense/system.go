package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// denseSystem is the system of a line's keys, as many slots as keys or a few
// more.
//
// As many random equations as slots have a solution with probability 0.29 only.
// So the coefficients of the six lowest slots are left to the end: without
// them 98 % of the systems leave no more than six equations, and the window is
// the first of 16 choices of those coefficients with which these few have a
// solution. One elimination does where four would be tried.
type denseSystem struct {
	rows    [maxDense]equation // in echelon form: none, or the highest coefficient is at its own slot
	low     []equation         // without coefficients of slots from 64 on
	left    [freeSlots]uint64  // a basis of what is left of the other equations
	nLeft   int
	columns [maxColumns]gf2.Row
}

// solve stores the columns of the solution in line and returns their window. It
// reports false if there is none.
//
// The solution does not depend on the order of the equations: each determines
// the highest slot that it can, and slots that none determines are zero.
func (d *denseSystem) solve(line []byte, equations []equation, shape shape) (window int, ok bool) {
	d.nLeft = 0
	low := equations
	if shape.slots > 64 {
		low = d.eliminateHigh(equations, shape.slots)
	}
	if useWords && len(low) <= gf2.WordSlots {
		var w wordSystem
		window, ok = w.solve(d, low, shape)
	} else {
		window, ok = d.solveLow(low, shape)
	}
	if !ok {
		return 0, false
	}
	for slot := 64; slot < shape.slots; slot++ {
		d.fillHigh(slot, window, shape.columns)
	}
	for j, column := range d.columns[:shape.columns] {
		at := headerBits + j*shape.slots
		gf2.Or(line, at, column.Lo)
		if shape.slots > 64 {
			gf2.Or(line, at+64, column.Hi)
		}
	}
	return window, true
}

// eliminateHigh eliminates slots from 64 on, and returns the equations that
// determine none of them.
func (d *denseSystem) eliminateHigh(equations []equation, slots int) []equation {
	clear(d.rows[64:slots])
	d.low = d.low[:0]
next:
	for _, e := range equations {
		for e.row.Hi != 0 {
			have := &d.rows[e.row.Highest()]
			if have.row.Hi == 0 {
				*have = e
				continue next
			}
			e.row.Lo ^= have.row.Lo
			e.row.Hi ^= have.row.Hi
			e.other ^= have.other
		}
		d.low = append(d.low, e)
	}
	return d.low
}

// fillHigh computes the bits of a slot from 64 on from those of lower slots.
func (d *denseSystem) fillHigh(slot, window, columns int) {
	e := d.rows[slot]
	row, value := e.withWindow(window), uint64(e.fingerprint())
	determined := (e.row.Hi >> (slot - 64)) & 1
	for j := range d.columns[:columns] {
		c := &d.columns[j]
		sum := uint64(bits.OnesCount64(c.Lo&row.Lo^c.Hi&row.Hi)) ^ value
		c.Hi = c.Hi&(1<<(slot-64)-1) | sum&determined<<(slot-64)
		value >>= 1
	}
}

// solveLow solves the equations that have no slots from 64 on.
func (d *denseSystem) solveLow(equations []equation, shape shape) (window int, ok bool) {
	clear(d.rows[:min(shape.slots, 64)])
	mask := otherMask(shape.columns)
	for _, e := range equations {
		if !d.insertLow(e, mask) {
			return 0, false
		}
	}
	for window := range windows {
		if free, ok := d.solveFree(window); ok {
			d.fillLow(window, free, shape)
			return window, true
		}
	}
	return 0, false
}

// insertLow adds an equation by on-the-fly elimination of its slots but the free
// ones. It reports false if more equations are left than there are free slots.
func (d *denseSystem) insertLow(e equation, mask uint64) bool {
	for e.row.Lo != 0 {
		have := &d.rows[bits.Len64(e.row.Lo)-1]
		if have.row.Lo == 0 {
			*have = e
			return true
		}
		e.row.Lo ^= have.row.Lo
		e.other ^= have.other
	}
	return d.leave(e.other & mask)
}

// otherMask has the bits of equation.other that give coefficients of the free
// slots, in any window, and the values of the columns.
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

// fillLow substitutes the free slots' bits in the others, from the lowest on.
func (d *denseSystem) fillLow(window int, free [freeSlots]uint32, shape shape) {
	columns := d.columns[:shape.columns]
	for j := range columns {
		columns[j] = gf2.Row{}
		for slot, value := range free {
			columns[j].Lo |= uint64(value>>j&1) << slot
		}
	}
	for slot := freeSlots; slot < min(shape.slots, 64); slot++ {
		e := d.rows[slot]
		if e.row.Lo == 0 {
			continue
		}
		row, value := e.row.Lo|e.free(window), uint64(e.fingerprint())
		for j := range columns {
			sum := uint64(bits.OnesCount64(columns[j].Lo&row)) ^ value
			columns[j].Lo |= sum & 1 << slot
			value >>= 1
		}
	}
}
