//go:build !purego

package gf2

import "golang.org/x/sys/cpu"

var (
	useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1
	// useGFNI needs permutations of bytes and products of matrices of bits.
	useGFNI = cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI
)

var (
	// turned has for each byte of a transposed matrix of 8x8 bytes its place in
	// the matrix, whose rows are taken from the last to the first.
	turned = func() (places [64]uint8) {
		for i := range places {
			places[i] = uint8(i%8*8 ^ 56 | i/8)
		}
		return places
	}()
	// units has a byte for each column of an 8x8 matrix of bits.
	units uint64 = 0x8040201008040201
	// pairs and neighbours have the bits of four rows that take part when pairs
	// of rows, and when neighbours, swap their squares.
	pairs      = [4]uint64{0xcccccccccccccccc, 0xcccccccccccccccc, 0x3333333333333333, 0x3333333333333333}
	neighbours = [4]uint64{0xaaaaaaaaaaaaaaaa, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x5555555555555555}
)

// HasVectors reports whether Words are fast.
var HasVectors = useAVX2

// Transpose sets bit i of word j of the first array to bit j of word i of the
// second. They may be the same array.
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

func eliminate(w *Words, last, first, values int, equations uint64) uint64 {
	if useAVX2 {
		return eliminateAVX2(w, last, first, values, equations)
	}
	return eliminateGeneric(w, last, first, values, equations)
}

//go:noescape
func transposeGFNI(to, from *[WordSlots]uint64)

//go:noescape
func transposeAVX2(words *[WordSlots]uint64)

//go:noescape
func eliminateAVX2(w *Words, last, first, values int, equations uint64) (left uint64)
