//go:build !amd64 || purego

package gf2

// HasVectors reports whether Words are fast.
const HasVectors = false

// Transpose sets bit i of word j of the first array to bit j of word i of the
// second. They may be the same array.
func Transpose(to, from *[WordSlots]uint64) { transposeGeneric(to, from) }

func eliminate(w *Words, last, first, values int, equations uint64) uint64 {
	return eliminateGeneric(w, last, first, values, equations)
}
