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

// The columns of each code that a kernel takes, 0 for others: for all codes if
// it is not in use. So what looks a code up has chosen the kernel too.
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

// Numbers of the kernels.
var (
	one, mod64, nibbles uint64 = 1, 63, 0x0f0f0f0f0f0f0f0f

	odd = [16]uint8{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0} // parities of 0 to 15

	// For rows of one word: the numbers of eight columns, and of the bit that
	// the first starts at.
	ordinals        = [8]uint64{0, 1, 2, 3, 4, 5, 6, 7}
	first    uint64 = headerBits
	// For rows of two words: lanes 0 to 3 hold the first words of four columns,
	// lanes 4 to 7 the second ones. The columns' numbers, the bits that they
	// start at but for the columns before, the shifts of rows but for the
	// slots, and the bits that the window does not choose.
	pairs  = [8]uint64{0, 1, 2, 3, 0, 1, 2, 3}
	starts = [8]uint64{16, 16, 16, 16, 80, 80, 80, 80}
	shifts = [8]uint64{64, 64, 64, 64, 128, 128, 128, 128}
	chosen = [8]int64{-64, -64, -64, -64, -1, -1, -1, -1}
)

// Where MayContain finds the fields of a trailer.
const (
	trailerSize    = trailer.Size
	keysOffset     = trailer.KeysOffset
	geometryOffset = trailer.GeometryOffset
	layoutOffset   = trailer.ParamsOffset
)

// MayContain answers for a block of a dense filter whether the key of hash h
// may be in it. It answers true for a block whose trailer does not fit it.
//
//go:noescape
func MayContain(block []byte, h uint64) bool
