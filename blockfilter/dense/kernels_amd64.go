//go:build !purego

package dense

import "golang.org/x/sys/cpu"

var (
	useBMI2   = cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
	useAVX512 = useBMI2 && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VBMI2
)

// columnsOf has the columns of each code that the kernel takes.
var columnsOf = func() (c [maxDense + 1]uint8) {
	for code := range c {
		c[code] = uint8(shapes[code].columns)
	}
	return c
}()

// LinesMayContain is MayContain for the layout of lines.
//
//go:noescape
func LinesMayContain(lines []byte, end *[32]byte, h uint64) bool
