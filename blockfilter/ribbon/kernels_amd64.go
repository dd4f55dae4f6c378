//go:build !purego

package ribbon

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI2

// matches reports whether the columns of a complete block and the next one,
// both from blocks on, XOR to want.
func (r reach) matches(blocks []byte, want uint32) bool {
	if useAVX2 {
		return matchesAVX2(&blocks[0], r.columns, r.lo, r.hi, want)
	}
	return r.matchesGeneric(blocks, want)
}

// matchesAVX2 ignores the bits of want from columns on. It reads up to 24 bytes
// after the second block.
//
//go:noescape
func matchesAVX2(blocks *byte, columns uint64, lo, hi uint64, want uint32) bool
