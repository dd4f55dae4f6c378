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

// TestKernel compares the kernel with the pure Go columns. The blocks lie right
// before a page that faults when read, and the bytes that the kernel may read.
func TestKernel(t *testing.T) {
	if !useAVX2 {
		t.Skip("no AVX2")
	}
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
	for columns := uint64(1); columns <= maxColumns; columns++ {
		for _, fill := range fills {
			guarded := memory[page-int(16*columns)-24 : page]
			for i := range guarded {
				guarded[i] = fill()
			}
			padded := append(append([]byte{}, guarded...), make([]byte, overread)...)
			for _, lo := range words {
				for _, hi := range words {
					r := reach{columns: columns, lo: lo, hi: hi}
					want := r.value(padded)
					for _, junk := range []uint32{0, ^r.mask()} {
						require.True(t, matchesAVX2(&guarded[0], columns, lo, hi, want^junk))
					}
					for j := range columns {
						other := want ^ 1<<j
						if matchesAVX2(&guarded[0], columns, lo, hi, other) || r.matchesGeneric(padded, other) {
							require.Failf(t, "differs in a column", "%d of %d", j, columns)
						}
					}
					require.True(t, r.matchesGeneric(padded, want))
				}
			}
		}
	}
}

// TestKernelsAgree asks one table with each kernel.
func TestKernelsAgree(t *testing.T) {
	defer func(avx2 bool) { useAVX2 = avx2 }(useAVX2)
	hashes := filtertest.Hashes(3000, 12)
	body, v, _ := trailer.Parse(build(Config{BitsPerKey: 10}, hashes))
	g, data := parse(v), body[:len(body)+overread]
	for _, use := range []bool{useAVX2, false} {
		useAVX2 = use
		for i, h := range slices.Concat(hashes...) {
			at := g.reach(data, h)
			require.True(t, g.matches(data, at, fingerprint(h)))
			require.False(t, g.matches(data, at, fingerprint(h)^uint32(1)<<(i%10)))
		}
	}
}
