//go:build !purego

package gf2

import "golang.org/x/sys/cpu"

var (
	eliminateWithAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasBMI1
	transposeWithAVX512 = cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI
)

// Transpose sets bit i of word j of to to bit j of word i of from. They may be
// the same.
func Transpose(to, from *[WordSlots]uint64) {
	if transposeWithAVX512 {
		transposeAVX512(to, from)
		return
	}
	transposeGeneric(to, from)
}

func eliminate(w *Words, to, from, values int, equations uint64) uint64 {
	if eliminateWithAVX512 && from >= to {
		return eliminateAVX512(w, to, from, values, equations)
	}
	return eliminateGeneric(w, to, from, values, equations)
}

//go:noescape
func transposeAVX512(to, from *[WordSlots]uint64)

// eliminateAVX512 is for to ≤ 8 and to ≤ from.
//
//go:noescape
func eliminateAVX512(w *Words, to, from, values int, equations uint64) (left uint64)
