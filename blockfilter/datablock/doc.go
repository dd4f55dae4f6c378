// Package datablock builds and asks the filter of one data block's keys: a few
// dozen bytes that are stored with the block's index entry, so that a reader
// that holds the entry learns whether the block can have a key before it reads
// the block.
//
// A filter of n keys with fingerprints of r bits takes n·r bits and little
// more: at r = 8 it takes 12 bits a key for 4 keys, 8.8 for 40 and 8.3 for 300.
// It lets an absent key pass with probability 2⁻ʳ.
//
// It is a linear system over GF(2), as in package ribbon: a key's hash selects
// slots of r bits, which XOR to the key's fingerprint. A system of up to 64
// slots may select any. With as many slots as keys it has a solution with
// probability 0.29, with one slot more 0.58, with two 0.77. In larger systems a
// key selects among 64 neighbouring slots. Where a system has no solution,
// another number in the header draws another system.
//
// FORMAT.md in the folder above specifies the bytes.
package datablock

const (
	// MinBits and MaxBits bound the bits of a fingerprint that filters are
	// built with.
	MinBits = 4
	MaxBits = 16
	// maxKeys is the most keys that a filter is built for. A block of more keys
	// has none.
	maxKeys = 1 << 14
)
