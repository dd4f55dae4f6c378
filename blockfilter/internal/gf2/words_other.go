//go:build !amd64 || purego

package gf2

// HasVectors reports whether Transpose and Eliminate are fast.
const HasVectors = false

// Transpose sets bit i of word j of to to bit j of word i of from. They may be
// the same.
func Transpose(to, from *[WordSlots]uint64) { transposeGeneric(to, from) }

// Eliminate brings a system to reduced echelon form (Gauss and Jordan), from slot
// from down to slot to. For each it takes the first key for a pivot that is left
// and has the slot, of those that keys begins with, and adds its equation to
// those of all keys, in lower slots and in values, which may be nil. It stores
// the pivots and returns the keys that are left. Words of slots are undefined
// then but for those below to.
func Eliminate(slots, values *[WordSlots]uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) (left uint64) {
	return eliminateGeneric(slots, valuesOf(values), to, from, keys, pivots)
}
