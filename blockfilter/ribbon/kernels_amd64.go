//go:build !purego

package ribbon

import "golang.org/x/sys/cpu"

var (
	useAVX512 = cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI2
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI2
)

// matches reports whether the columns of a complete block and the next one,
// both from blocks on, XOR to want.
func (r reach) matches(blocks []byte, want uint32) bool {
	switch {
	case useAVX512:
		return matchesAVX512(&blocks[0], r.columns, r.lo, r.hi, want)
	case useAVX2:
		return matchesAVX2(&blocks[0], r.columns, r.lo, r.hi, want)
	}
	return r.matchesGeneric(blocks, want)
}

// The kernels ignore the bits of want from columns on. The one for AVX2 reads
// up to 24 bytes after the second block.

//go:noescape
func matchesAVX512(blocks *byte, columns uint64, lo, hi uint64, want uint32) bool

//go:noescape
func matchesAVX2(blocks *byte, columns uint64, lo, hi uint64, want uint32) bool
