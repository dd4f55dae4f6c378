// Package gf2 solves linear systems over GF(2), in which the keys of a filter
// are the equations. A key's row selects slots of the system. Their XOR is the
// key's value, which has a bit for each column of the solution.
package gf2

import (
	"math/bits"
	"slices"
)

// Band is a system in echelon form, filled by on-the-fly Gaussian elimination
// (Dillinger and Walzer 2021, §2). Its solution does not depend on the order of
// insertion: each equation determines the first slot that it can, and slots
// that none determines are zero. The zero value has no slots.
type Band struct {
	rows   []Row // zero, or their first coefficient is at their own slot
	values []uint32
}

// Reset empties the band and gives it n slots.
func (b *Band) Reset(n int) {
	b.rows = slices.Grow(b.rows[:0], n)[:n]
	b.values = slices.Grow(b.values[:0], n)[:n]
	clear(b.rows)
	clear(b.values)
}

// Insert adds the equation of a row that begins at slot. It reports false if
// the equation contradicts those before. Rows end within the band.
func (b *Band) Insert(slot int, row Row, value uint32) bool {
	if row.Hi == 0 {
		return b.insertWord(slot, row.Lo, value)
	}
	rows := b.rows
	values := b.values[:len(rows)]
	lo, hi := row.Lo, row.Hi
	for lo|hi != 0 {
		if lo == 0 {
			lo, hi = hi, 0
			slot += 64
		}
		shift := bits.TrailingZeros64(lo) & 63
		lo = lo>>shift | hi<<1<<(63-shift)
		hi >>= shift
		slot += shift
		have := rows[slot]
		if have.Lo == 0 {
			rows[slot], values[slot] = Row{lo, hi}, value
			return true
		}
		lo ^= have.Lo
		hi ^= have.Hi
		value ^= values[slot]
	}
	return value == 0
}

// insertWord is Insert for bands whose rows are all of one word.
func (b *Band) insertWord(slot int, row uint64, value uint32) bool {
	rows := b.rows
	values := b.values[:len(rows)]
	for row != 0 {
		shift := bits.TrailingZeros64(row)
		row >>= shift & 63
		slot += shift
		have := rows[slot]
		if have.Lo == 0 {
			rows[slot].Lo, values[slot] = row, value
			return true
		}
		if have.Hi != 0 {
			return b.Insert(slot, Row{row ^ have.Lo, have.Hi}, value^values[slot])
		}
		row ^= have.Lo
		value ^= values[slot]
	}
	return value == 0
}

// maxColumns is the most columns of a solution.
const maxColumns = 32

// Solve stores the columns of the solution in dst, one after another: column j,
// bit j of the values, has slot i at bit + j·slots + i. Dst is zero there, and
// has Pad bytes more.
func (b *Band) Solve(dst []byte, bit, columns int) {
	// lo[j] and hi[j] are column j of the 128 slots from the current one on.
	var los, his [maxColumns]uint64
	lo, hi := los[:columns], his[:columns]
	for slot := len(b.rows) - 1; slot >= 0; slot-- {
		row, value := b.rows[slot], uint64(b.values[slot])
		if row.Hi == 0 && slot+64 >= len(b.rows) {
			for j, x := range lo {
				lo[j] = x<<1 | Parity(x<<1&row.Lo) ^ value&1
				value >>= 1
			}
		} else {
			hi := hi[:len(lo)]
			for j, x := range lo {
				y := hi[j]<<1 | x>>63
				x <<= 1
				lo[j] = x | row.Dot(Row{x, y}) ^ value&1
				hi[j] = y
				value >>= 1
			}
		}
		if slot%64 == 0 {
			for j, x := range lo {
				Or(dst, bit+j*len(b.rows)+slot, x)
			}
		}
	}
}
