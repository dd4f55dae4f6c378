//go:build !purego

package line

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func init() {
	if useAVX2 {
		kernels["AVX2"] = func(block []byte, h uint64) bool {
			defer func(use bool) { useAVX512 = use }(useAVX512)
			useAVX512 = false
			return MayContain(block, h)
		}
	}
}

// TestOffsets pins where MayContain looks for the fields of a trailer.
func TestOffsets(t *testing.T) {
	end := trailer.Shape{Geometry: 0x0706050403020100, Params: [3]uint8{9, 11, 12}}.Append(nil, 0, 0, 0)
	require.EqualValues(t, 0x0706050403020100, binary.LittleEndian.Uint64(end[geometryOffset:]))
	require.EqualValues(t, 11, end[probesOffset])
	require.EqualValues(t, 12, end[choicesOffset])
	require.Equal(t, probesOffset+1, choicesOffset, "MayContain loads both at once")
}

// TestMasksMatchGeneric: the kernel writes what portable code does, and no
// more.
func TestMasksMatchGeneric(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	hashes := append([]uint64{rng.Uint64(), rng.Uint64()}, extremes...)
	canary := Mask{1, 2, 3}
	for k := 1; k <= MaxProbes; k++ {
		for choices := 1; choices <= MaxChoices; choices++ {
			n := len(hashes) * choices
			want, got := append(make([]Mask, n), canary), append(make([]Mask, n), canary)
			masksGeneric(want[:n], hashes, k, choices)
			Masks(got[:n], hashes, k, choices)
			require.Equal(t, want, got)
		}
	}
}

// TestKernelsStayInside puts blocks and lines right before a page that faults
// when read, and right after one.
func TestKernelsStayInside(t *testing.T) {
	middle := filtertest.Page(t)

	rng := rand.New(rand.NewPCG(4, 4))
	for lines := 1; lines <= 3; lines++ {
		size := lines*Size + trailer.Size
		for _, place := range [][]byte{middle[:size], middle[len(middle)-size:]} {
			for k := 1; k <= MaxProbes; k++ {
				for c := 1; c <= MaxChoices; c++ {
					copy(place, block(make([]byte, lines*Size), k, c))
					for _, h := range append(extremes, rng.Uint64()) {
						for name, contains := range kernels {
							require.False(t, contains(place, h), name)
						}
					}
				}
			}
		}
		for _, place := range [][]byte{middle[:lines*Size], middle[len(middle)-lines*Size:]} {
			for k := 1; k <= MaxProbes; k++ {
				for _, add := range adders {
					add(place, extremes, k)
				}
			}
			clear(place)
		}
	}
}

// TestDispatch goes to every kernel by way of MayContain, from goroutines whose
// stacks have to grow on the way.
func TestDispatch(t *testing.T) {
	avx512, avx2 := useAVX512, useAVX2
	defer func() { useAVX512, useAVX2 = avx512, avx2 }()
	rng := rand.New(rand.NewPCG(5, 5))
	lines := make([]byte, 3*Size)
	Add(lines, []uint64{rng.Uint64(), rng.Uint64()}, 4)
	b := block(lines, 4, 2)

	for _, use := range [][2]bool{{avx512, avx2}, {false, avx2}, {false, false}} {
		useAVX512, useAVX2 = use[0], use[1]
		for range 2000 {
			h := rng.Uint64()
			want := reference(lines, h, 4, 2)
			done := make(chan bool)
			depth := rng.IntN(200)
			go func() { done <- deep(depth, func() bool { return MayContain(b, h) }) }()
			require.Equal(t, want, <-done)
		}
	}
}

// deep calls f from under n frames.
//
//go:noinline
func deep(n int, f func() bool) bool {
	if n == 0 {
		return f()
	}
	return deep(n-1, f)
}
