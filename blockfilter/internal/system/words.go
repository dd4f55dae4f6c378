package system

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// storeWords is Builder.store for up to gf2.WordSlots keys and slots. Slot i is
// slot m−1−i of the words: a Band prefers the first slots for its pivots, words
// the last.
func (b *Builder) storeWords(filter []byte, hashes []uint64, l Layout) bool {
	w := &b.words
	for i, h := range hashes {
		e := l.equation(h)
		w.Slots[i] = bits.Reverse64(e.row) >> (gf2.WordSlots - l.Slots)
		w.Values[i] = uint64(e.value) << (gf2.WordSlots - l.Columns)
	}
	clear(w.Slots[len(hashes):])
	clear(w.Values[len(hashes):])
	gf2.Transpose(&w.Slots, &w.Slots)
	gf2.Transpose(&w.Values, &w.Values)
	left := w.Eliminate(0, int(l.Slots)-1, int(l.Columns), 1<<len(hashes)-1)
	for _, column := range w.Values[gf2.WordSlots-l.Columns:] {
		if column&left != 0 {
			return false // a sum of equations without a slot has a value
		}
	}
	gf2.Transpose(&w.Values, &w.Values)
	var columns [gf2.WordSlots]uint64
	for i, key := range w.Pivots[:l.Slots] {
		if key != gf2.NoPivot {
			columns[int(l.Slots)-1-i] = w.Values[key%gf2.WordSlots] >> (gf2.WordSlots - l.Columns)
		}
	}
	gf2.Transpose(&columns, &columns)
	for j, column := range columns[:l.Columns] {
		gf2.Or(filter, int(l.offset(uint64(j), 0)), column)
	}
	return true
}
