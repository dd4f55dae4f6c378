package gf2

import "math/bits"

// Systems of up to 64 equations and slots, as words of which each has a slot's
// coefficients in all equations, a bit for each: a pivot is the lowest bit of a
// word, and to add its equation to others is to add a word to words. With
// vectors, which take eight words at once, a system of 50 equations takes a
// fifth of the time of a Band; without, it takes longer.

// WordSlots is the most slots and equations of such a system.
const WordSlots = 64

// NoPivot is for slots that no equation determines.
const NoPivot = 0xff

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

// valuesOf returns no values for none.
func valuesOf(values *[WordSlots]uint64) []uint64 {
	if values == nil {
		return nil
	}
	return values[:]
}

// eliminateGeneric is the portable Eliminate.
func eliminateGeneric(slots *[WordSlots]uint64, values []uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) (left uint64) {
	for slot := from; slot >= to; slot-- {
		candidates := slots[slot] & keys
		if candidates == 0 {
			continue
		}
		pivot := candidates & -candidates
		keys ^= pivot
		pivots[slot] = uint8(bits.TrailingZeros64(pivot))
		others := slots[slot] ^ pivot
		for i := range slot + 1 {
			if slots[i]&pivot != 0 {
				slots[i] ^= others
			}
		}
		for i := range values {
			if values[i]&pivot != 0 {
				values[i] ^= others
			}
		}
	}
	return keys
}
