//go:build !amd64 || purego

package gf2

// What these are is said in words_amd64.go.

const HasVectors = false

func Transpose(to, from *[WordSlots]uint64) { transposeGeneric(to, from) }

func eliminate(w *Words, last, first, values int, equations uint64) uint64 {
	return eliminateGeneric(w, last, first, values, equations)
}
