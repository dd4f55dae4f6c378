package system

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// words is the scratch of a system whose slots are words of gf2, in which slot i
// is slot m−1−i: a Band prefers the first slots for its pivots, words the last.
type words struct {
	rows, values   [gf2.WordSlots]uint64 // of keys
	slots, columns [gf2.WordSlots]uint64
	pivots         [gf2.WordSlots]uint8
}

// store is Builder.store for up to gf2.WordSlots keys and slots.
func (w *words) store(filter []byte, hashes []uint64, l Layout) bool {
	for i, h := range hashes {
		e := l.equation(h)
		w.rows[i] = bits.Reverse64(e.row) >> (gf2.WordSlots - l.Slots)
		w.values[i] = uint64(uint32(e.value) & l.mask())
	}
	clear(w.rows[len(hashes):])
	clear(w.values[len(hashes):])
	gf2.Transpose(&w.slots, &w.rows)
	gf2.Transpose(&w.columns, &w.values)
	for i := range w.pivots {
		w.pivots[i] = gf2.NoPivot
	}
	left := gf2.Eliminate(&w.slots, &w.columns, 0, int(l.Slots)-1, 1<<len(hashes)-1, &w.pivots)
	for _, column := range w.columns[:l.Columns] {
		if column&left != 0 {
			return false // a sum of equations without a slot has a value
		}
	}
	gf2.Transpose(&w.values, &w.columns)
	clear(w.rows[:])
	for i, key := range w.pivots[:l.Slots] {
		if key != gf2.NoPivot {
			w.rows[int(l.Slots)-1-i] = w.values[key%gf2.WordSlots]
		}
	}
	gf2.Transpose(&w.columns, &w.rows)
	for j, column := range w.columns[:l.Columns] {
		gf2.Or(filter, int(l.offset(uint64(j), 0)), column)
	}
	return true
}
