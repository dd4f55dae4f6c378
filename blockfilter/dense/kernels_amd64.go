//go:build !purego

package dense

import "golang.org/x/sys/cpu"

var useAVX512 = cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI2

// columnsOf has the columns of each code of the kernels.
var columnsOf = func() (c [codes]uint8) {
	for code, shape := range shapes {
		c[code] = uint8(shape.columns)
	}
	return c
}()

// contains answers for a line, and overread bytes behind it, whether the key of
// hash h may be in it.
func contains(line []byte, h uint64) bool {
	if useAVX512 && uint(headerIn(line).code()-1) < maxDense {
		return containsAVX512(&line[0], h)
	}
	return containsGeneric(line, h)
}

// containsAVX512 is for codes from 1 to maxDense.
//
//go:noescape
func containsAVX512(line *byte, h uint64) bool
