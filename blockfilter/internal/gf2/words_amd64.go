//go:build !purego

package gf2

import "golang.org/x/sys/cpu"

// HasVectors reports whether Transpose and Eliminate are fast.
var HasVectors = cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI && cpu.X86.HasBMI1

// Transpose sets bit i of word j of to to bit j of word i of from. They may be
// the same.
func Transpose(to, from *[WordSlots]uint64) {
	if HasVectors {
		transposeAVX512(to, from)
		return
	}
	transposeGeneric(to, from)
}

// Eliminate brings a system to reduced echelon form (Gauss and Jordan), from slot
// from down to slot to. For each it takes the first key for a pivot that is left
// and has the slot, of those that keys begins with, and adds its equation to
// those of all keys, in lower slots and in values, which may be nil. It stores
// the pivots and returns the keys that are left. Words of slots are undefined
// then but for those below to.
func Eliminate(slots, values *[WordSlots]uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) (left uint64) {
	if HasVectors && from >= to && to <= 8 {
		return eliminateAVX512(slots, values, to, from, keys, pivots)
	}
	return eliminateGeneric(slots, valuesOf(values), to, from, keys, pivots)
}

//go:noescape
func transposeAVX512(to, from *[WordSlots]uint64)

// eliminateAVX512 is for to ≤ 8 and to ≤ from.
//
//go:noescape
func eliminateAVX512(slots, values *[WordSlots]uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) (left uint64)
