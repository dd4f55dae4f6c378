//go:build !purego

package line

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func init() {
	if useAVX512 {
		kernels["AVX-512"] = func(lines []byte, v *trailer.View, h uint64) bool {
			return containsAVX512(&lines[0], v, h)
		}
		adders["AVX-512"] = func(lines []byte, hashes []uint64, k int) {
			addAVX512(&lines[0], uint64(len(lines)/Size), &hashes[0], len(hashes), k)
		}
	}
	if useAVX2 {
		kernels["AVX2"] = func(lines []byte, v *trailer.View, h uint64) bool {
			return containsAVX2(&lines[0], v, h)
		}
	}
}

// TestKernelsStayInside puts lines right before a page that faults when read,
// and right after one.
func TestKernelsStayInside(t *testing.T) {
	page := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(memory)) }()
	require.NoError(t, unix.Mprotect(memory[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(memory[2*page:], unix.PROT_NONE))
	middle := memory[page : 2*page]

	rng := rand.New(rand.NewPCG(4, 4))
	for lines := 1; lines <= 3; lines++ {
		for _, body := range [][]byte{middle[:lines*Size], middle[page-lines*Size:]} {
			for k := 1; k <= MaxProbes; k++ {
				for c := 1; c <= MaxChoices; c++ {
					v := view(lines, k, c)
					for _, h := range append(extremes, rng.Uint64()) {
						for name, contains := range kernels {
							require.False(t, contains(body, v, h), name)
						}
					}
				}
				for _, add := range adders {
					add(body, extremes, k)
				}
				clear(body)
			}
		}
	}
}
