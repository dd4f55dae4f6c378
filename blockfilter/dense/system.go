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
	rows  [maxDense]gf2.Row // in echelon form: the highest coefficient is at its own slot
	other [maxDense]uint64
	used  [maxDense]bool
	left  [freeSlots]uint64 // a basis of what is left of the other equations
	nLeft int
}

// solveGeneric is the portable solve.
//
// The solution does not depend on the order of the equations: each determines
// the highest slot that it can, and slots that none determines are zero.
func (d *denseSystem) solveGeneric(line []byte, equations []equation, shape shape) (window int, ok bool) {
	clear(d.used[:shape.slots])
	d.nLeft = 0
	for _, e := range equations {
		if !d.insert(e, shape.columns) {
			return 0, false
		}
	}
	for window := range windows {
		if free, ok := d.solveFree(window); ok {
			d.store(line, window, free, shape)
			return window, true
		}
	}
	return 0, false
}

// insert adds an equation by on-the-fly elimination of its slots but the free
// ones. It reports false if more are left than there are free slots.
func (d *denseSystem) insert(e equation, columns int) bool {
	row, other := e.row, e.other
	for row.Lo|row.Hi != 0 {
		slot := row.Highest()
		if !d.used[slot] {
			d.used[slot], d.rows[slot], d.other[slot] = true, row, other
			return true
		}
		row.Lo ^= d.rows[slot].Lo
		row.Hi ^= d.rows[slot].Hi
		other ^= d.other[slot]
	}
	return d.leave(other & otherMask(columns))
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

// store substitutes the free slots' bits for all others, from the lowest on.
func (d *denseSystem) store(line []byte, window int, free [freeSlots]uint32, shape shape) {
	var columns [maxColumns]gf2.Row
	c := columns[:shape.columns]
	for j := range c {
		for slot, value := range free {
			c[j].Lo |= uint64(value>>j&1) << slot
		}
	}
	for slot := freeSlots; slot < shape.slots; slot++ {
		if !d.used[slot] {
			continue
		}
		e := equation{d.rows[slot], d.other[slot]}
		row, value := e.withWindow(window), uint64(e.fingerprint())
		if slot < 64 {
			for j := range c {
				sum := uint64(bits.OnesCount64(c[j].Lo&row.Lo)) ^ value
				c[j].Lo |= sum & 1 << slot
				value >>= 1
			}
			continue
		}
		for j := range c {
			sum := uint64(bits.OnesCount64(c[j].Lo&row.Lo^c[j].Hi&row.Hi)) ^ value
			c[j].Hi |= sum & 1 << (slot - 64)
			value >>= 1
		}
	}
	for j := range c {
		at := headerBits + j*shape.slots
		gf2.Or(line, at, c[j].Lo)
		if shape.slots > 64 {
			gf2.Or(line, at+64, c[j].Hi)
		}
	}
}
