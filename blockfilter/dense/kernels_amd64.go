//go:build !purego

package dense

import (
	"golang.org/x/sys/cpu"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

var (
	useBMI2   = cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
	useAVX512 = useBMI2 && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VBMI2
)

// Where the kernel finds the fields of a trailer.View.
const (
	trailerSize    = trailer.Size
	keysOffset     = trailer.KeysOffset
	geometryOffset = trailer.GeometryOffset
)

// columnsOf has the columns of each code that the kernel takes, 0 for others.
var columnsOf = func() (c [codes]uint8) {
	for code := range maxDense + 1 {
		c[code] = uint8(shapes[code].columns)
	}
	return c
}()

// LinesMayContain is MayContain for a block in the layout of lines: its body and
// the trailer.
//
//go:noescape
func LinesMayContain(block []byte, h uint64) bool
