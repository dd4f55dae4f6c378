//go:build !purego

package gf2

import "golang.org/x/sys/cpu"

var (
	useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
	// useGFNI is for machines that permute bytes and multiply bits.
	useGFNI = cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI
)

// HasVectors reports whether Words are fast.
var HasVectors = useAVX2

// Transpose sets bit i of word j of to to bit j of word i of from. They may be
// the same.
func Transpose(to, from *[WordSlots]uint64) {
	switch {
	case useGFNI:
		transposeGFNI(to, from)
	case useAVX2:
		*to = *from
		transposeAVX2(to)
	default:
		transposeGeneric(to, from)
	}
}

func eliminate(w *Words, to, from, values int, equations uint64) uint64 {
	if useAVX2 {
		return eliminateAVX2(w, to, from, values, equations)
	}
	return eliminateGeneric(w, to, from, values, equations)
}

//go:noescape
func transposeGFNI(to, from *[WordSlots]uint64)

//go:noescape
func transposeAVX2(words *[WordSlots]uint64)

//go:noescape
func eliminateAVX2(w *Words, to, from, values int, equations uint64) (left uint64)
