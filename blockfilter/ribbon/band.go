package ribbon

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// band is a linear system over GF(2) in echelon form: rows[i] is zero or has
// its first coefficient at slot i, which it therefore determines, and
// values[i] is its right-hand side in all columns at once.
type band struct {
	rows   []uint64
	values []uint32
}

// reset empties the band and makes room for n slots.
func (b *band) reset(n int) {
	b.rows = slices.Grow(b.rows[:0], n)
	b.values = slices.Grow(b.values[:0], n)
}

// resize makes the band n slots long. Slots added are free.
func (b *band) resize(n uint64) {
	if have := uint64(len(b.rows)); n > have {
		b.rows = slices.Grow(b.rows, int(n-have))[:n]
		b.values = slices.Grow(b.values, int(n-have))[:n]
		clear(b.rows[have:])
		clear(b.values[have:])
	}
	b.rows, b.values = b.rows[:n], b.values[:n]
}

// free empties a slot.
func (b *band) free(slot uint64) { b.rows[slot], b.values[slot] = 0, 0 }

// insert adds e by on-the-fly Gaussian elimination (§2 of the ribbon paper).
// It leaves in e the slot that e took, with the row and value stored there. The
// row is zero if e took none: the equations before imply e if the value is zero
// too, and contradict it otherwise.
func (b *band) insert(e *equation) {
	slot, row, value := e.slot, e.row, e.value
	for row != 0 {
		shift := bits.TrailingZeros64(row)
		row >>= shift & 63
		slot += uint64(shift)
		have := b.rows[slot]
		if have == 0 {
			b.rows[slot], b.values[slot] = row, value
			break
		}
		row ^= have
		value ^= b.values[slot]
	}
	e.slot, e.row, e.value = slot, row, value
}

// insertEither works on two equations in turn until one is done, and reports
// whether that is e. It leaves that one as insert does, and the other half
// eliminated. Elimination is a chain of loads that depend on each other, 36 on
// average for a row that finds its start taken, so two chains side by side take
// little longer than one.
func (b *band) insertEither(e, f *equation) (first bool) {
	rows, values := b.rows, b.values
	values = values[:len(rows)]
	s, r, v := e.slot, e.row, e.value
	t, q, w := f.slot, f.row, f.value
	for {
		have := rows[s]
		if have == 0 {
			rows[s], values[s] = r, v
			first = true
			break
		}
		r ^= have
		v ^= values[s]
		if r == 0 {
			first = true
			break
		}
		shift := bits.TrailingZeros64(r)
		r >>= shift & 63
		s += uint64(shift)

		have = rows[t]
		if have == 0 {
			rows[t], values[t] = q, w
			break
		}
		q ^= have
		w ^= values[t]
		if q == 0 {
			break
		}
		shift = bits.TrailingZeros64(q)
		q >>= shift & 63
		t += uint64(shift)
	}
	e.slot, e.row, e.value = s, r, v
	f.slot, f.row, f.value = t, q, w
	return first
}

// solve back-substitutes from the last slot to the first and stores the
// solution in body's blocks. Slots that no equation determines become zero.
func (b *band) solve(g geometry, body []byte) {
	// window[j] is column j of the 64 slots from the current one on, so that
	// at a block's first slot it is the word to be stored.
	var window [maxColumns]uint64
	slot, wide := g.slots(), g.wide()
	for slot > 0 {
		block := (slot - 1) / width
		w := window[:g.columnsOf(block, wide)]
		b.solveBlock(block*width, slot, w)
		slot = block * width
		bytes := uint64(8)
		if block == g.full() {
			bytes = g.tail()
		}
		storeBlock(body[g.offset(block, wide):], w, bytes)
	}
}

// solveBlockGeneric finds the slots from from on and before to in the columns of
// window, which has those of the 64 slots behind them.
func (b *band) solveBlockGeneric(from, to uint64, window []uint64) {
	for slot := to; slot > from; {
		slot--
		row, value := b.rows[slot], b.values[slot]
		for j, x := range window {
			x <<= 1
			window[j] = x | (gf2.Parity(x&row)^uint64(value))&1
			value >>= 1
		}
	}
}

// storeBlock stores a block's columns, some bytes of each.
func storeBlock(dst []byte, columns []uint64, bytes uint64) {
	var word [8]byte
	for _, x := range columns {
		binary.LittleEndian.PutUint64(word[:], x)
		dst = dst[copy(dst, word[:bytes]):]
	}
}
