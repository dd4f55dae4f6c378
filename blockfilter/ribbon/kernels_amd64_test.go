//go:build !purego

package ribbon

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// kernel is a vector kernel with the bytes it may read after its columns.
type kernel struct {
	matches  func(blocks *byte, columns, lo, hi uint64, want uint32) bool
	overread int
}

func kernels() map[string]kernel {
	k := map[string]kernel{}
	if useAVX512 {
		k["AVX-512"] = kernel{matchesAVX512, 0}
	}
	if useAVX2 {
		k["AVX2"] = kernel{matchesAVX2, 24}
	}
	return k
}

// TestKernels compares the kernels with the pure Go columns. The blocks lie
// right before a page that faults when read.
func TestKernels(t *testing.T) {
	page := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(memory)) }()
	require.NoError(t, unix.Mprotect(memory[page:], unix.PROT_NONE))

	rng := rand.New(rand.NewPCG(1, 3))
	fills := []func() byte{
		func() byte { return 0 },
		func() byte { return 0xff },
		func() byte { return byte(rng.Uint32()) },
	}
	words := []uint64{0, 1, 1 << 63, math.MaxUint64, 0x5555555555555555, rng.Uint64(), rng.Uint64()}
	for name, k := range kernels() {
		for columns := uint64(1); columns <= maxColumns; columns++ {
			for _, fill := range fills {
				guarded := memory[page-int(16*columns)-k.overread : page]
				for i := range guarded {
					guarded[i] = fill()
				}
				padded := append(append([]byte{}, guarded...), make([]byte, overread)...)
				for _, lo := range words {
					for _, hi := range words {
						r := reach{columns: columns, lo: lo, hi: hi}
						want := r.value(padded)
						for _, junk := range []uint32{0, ^r.mask()} {
							require.True(t, k.matches(&guarded[0], columns, lo, hi, want^junk), name)
						}
						for j := range columns {
							other := want ^ 1<<j
							if k.matches(&guarded[0], columns, lo, hi, other) || r.matchesGeneric(padded, other) {
								require.Failf(t, "differs in a column", "%s: %d of %d", name, j, columns)
							}
						}
						require.True(t, r.matchesGeneric(padded, want))
					}
				}
			}
		}
	}
}

// TestKernelsAgree asks one table with each kernel.
func TestKernelsAgree(t *testing.T) {
	defer func(avx512, avx2 bool) { useAVX512, useAVX2 = avx512, avx2 }(useAVX512, useAVX2)
	hashes := filtertest.Hashes(3000, 12)
	body, v, _ := trailer.Parse(build(Config{BitsPerKey: 10}, hashes))
	g, data := parse(v), body[:len(body)+overread]
	for _, use := range []struct{ avx512, avx2 bool }{{useAVX512, false}, {false, useAVX2}, {false, false}} {
		useAVX512, useAVX2 = use.avx512, use.avx2
		for i, h := range slices.Concat(hashes...) {
			at := g.reach(data, h)
			require.True(t, g.matches(data, at, fingerprint(h)))
			require.False(t, g.matches(data, at, fingerprint(h)^uint32(1)<<(i%10)))
		}
	}
}
