package gf2

import "math/bits"

// WordSlots is the most slots and equations of Words.
const WordSlots = 64

// NoPivot is for slots that no equation determines.
const NoPivot = 0xff

// Words is a system of up to 64 equations and slots whose words have a bit for
// each equation: a pivot is the lowest bit of a word, and to add its equation to
// others is to add a word to words, several at once with vectors.
type Words struct {
	Values [WordSlots]uint64 // of each column: the last ones count
	Slots  [WordSlots]uint64 // the coefficients of each slot
	Pivots [WordSlots]uint8  // the equation that determines each slot, or NoPivot
}

// Eliminate brings the system to reduced echelon form (Gauss and Jordan), from
// slot from down to slot to ≤ from. For each slot it takes a pivot: the first
// equation that is left and has the slot, of those that equations has a bit for.
// It adds the pivot to all others that have the slot. It returns the equations
// that are left. Of the words the last values count then, and the slots below to.
func (w *Words) Eliminate(to, from, values int, equations uint64) (left uint64) {
	for i := range w.Pivots {
		w.Pivots[i] = NoPivot
	}
	return eliminate(w, to, from, values, equations)
}

// eliminateGeneric is the portable kernel. No branch depends on a bit, for half
// of these would be mispredicted.
func eliminateGeneric(w *Words, to, from, values int, left uint64) uint64 {
	for slot := from; slot >= to; slot-- {
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

// addTo adds a word to those that have a bit.
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
