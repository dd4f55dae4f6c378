//go:build !purego

package dense

import (
	"golang.org/x/sys/cpu"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

var (
	hasBMI    = cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
	hasAVX512 = hasBMI && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW
	// hasVBMI2 saves the kernel of AVX-512 some shifts and a look-up.
	hasVBMI2 = cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPOPCNTDQ
)

// The columns of each code that a kernel takes, 0 for others: for all codes if it
// is not in use. So what looks a code up has chosen the kernel too.
var vectorColumns, wordColumns [codes]uint8

func init() { useKernels(hasBMI, hasAVX512) }

func useKernels(bmi, avx512 bool) {
	vectorColumns, wordColumns = [codes]uint8{}, [codes]uint8{}
	if avx512 {
		vectorColumns = kernelColumns
	}
	if bmi {
		wordColumns = kernelColumns
	}
}

var kernelColumns = func() (c [codes]uint8) {
	for code := range maxDense + 1 {
		c[code] = uint8(shapes[code].columns)
	}
	return c
}()

// Where the kernel finds the fields of a trailer.View.
const (
	keysOffset     = trailer.KeysOffset
	geometryOffset = trailer.GeometryOffset
)

// LinesMayContain is MayContain for a body in the layout of lines.
//
//go:noescape
func LinesMayContain(lines []byte, v *trailer.View, h uint64) bool
