package gf2

import "math/bits"

// WordSlots is the most slots and equations of Words.
const WordSlots = 64

// NoPivot is for slots that no equation determines.
const NoPivot = 0xff

// Words is a system of up to 64 equations and slots. Its words have a bit for
// each equation. A pivot is the lowest bit of a word. To add its equation to
// others is to add one word to others, several at once with vectors.
type Words struct {
	Values [WordSlots]uint64 // a word for each column, the last word for the last
	Slots  [WordSlots]uint64 // a word for each slot: its coefficients
	Pivots [WordSlots]uint8  // the equation that determines each slot, or NoPivot
}

// Eliminate eliminates the slots from first down to last, as Gauss and Jordan
// do. It takes them in falling order. The pivot of a slot is the lowest
// equation that is left and has a coefficient of the slot, and Eliminate adds
// it to all other equations with one. In the beginning all are left that
// equations has a bit for; Eliminate returns those left in the end. It keeps
// only the last values words of Values right, and the slots below last.
func (w *Words) Eliminate(last, first, values int, equations uint64) (left uint64) {
	for i := range w.Pivots {
		w.Pivots[i] = NoPivot
	}
	return eliminate(w, last, first, values, equations)
}

// eliminateGeneric is the portable kernel. No branch depends on a bit, for half
// of these would be mispredicted.
func eliminateGeneric(w *Words, last, first, values int, left uint64) uint64 {
	for slot := first; slot >= last; slot-- {
		candidates := w.Slots[slot] & left
		if candidates == 0 {
			continue
		}
		pivot := bits.TrailingZeros64(candidates) & 63
		left ^= 1 << pivot
		w.Pivots[slot] = uint8(pivot)
		others := w.Slots[slot] ^ 1<<pivot
		addTo(w.Slots[:slot+1], others, pivot)
		addTo(w.Values[WordSlots-values:], others, pivot)
	}
	return left
}

// addTo adds a word to those of words that have the bit.
func addTo(words []uint64, word uint64, bit int) {
	for i, w := range words {
		words[i] = w ^ word&-(w>>(bit&63)&1)
	}
}

// transposeGeneric swaps ever smaller squares beside the diagonal (Warren,
// Hacker's Delight, §7-3).
func transposeGeneric(to, from *[WordSlots]uint64) {
	*to = *from
	mask := uint64(1<<32 - 1)
	for size := 32; size > 0; size /= 2 {
		for i := 0; i < WordSlots; i = (i + size + 1) &^ size {
			swap := (to[i]>>size ^ to[i+size]) & mask
			to[i] ^= swap << size
			to[i+size] ^= swap
		}
		mask ^= mask << (size / 2)
	}
}
