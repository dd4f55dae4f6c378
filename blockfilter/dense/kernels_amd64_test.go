//go:build !purego

package dense

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func init() {
	if hasBMI {
		kernels["BMI"] = func(block []byte, h uint64) bool {
			defer useKernels(hasBMI, hasAVX512)
			useKernels(true, false)
			return MayContain(block, h)
		}
	}
	if hasAVX512 {
		kernels["AVX-512 without VBMI2"] = func(block []byte, h uint64) bool {
			defer func(has bool) { hasVBMI2 = has }(hasVBMI2)
			hasVBMI2 = false
			return MayContain(block, h)
		}
	}
}

// TestKernelsStayInside puts blocks right before a page that faults when read,
// and right after one.
func TestKernelsStayInside(t *testing.T) {
	middle := filtertest.Page(t)

	rng := rand.New(rand.NewPCG(10, 10))
	for count := 1; count <= 3; count++ {
		size := count*lineSize + trailer.Size
		for _, block := range [][]byte{middle[:size:size], middle[len(middle)-size:]} {
			binary.LittleEndian.PutUint64(block[size-trailer.Size+trailer.GeometryOffset:], uint64(count))
			for code := range codes {
				for i := range count {
					headerOf(code, rng.IntN(windows), rng.IntN(shares)).put(block[i*lineSize:])
				}
				for _, h := range []uint64{0, 1, 1 << 63, 1<<64 - 1, rng.Uint64()} {
					line := block[keyhash.Scale(h, uint64(count))*lineSize:][:lineSize]
					for name, contains := range kernels {
						if name != "generic" { // which takes no block
							require.Equal(t, reference(line, h), contains(block, h), name)
						}
					}
				}
			}
			clear(middle)
		}
	}
}

// TestDispatch goes to every kernel, from goroutines whose stacks have to grow
// on the way.
func TestDispatch(t *testing.T) {
	defer useKernels(hasBMI, hasAVX512)
	rng := rand.New(rand.NewPCG(11, 11))
	hashes := randomHashes(rng, 2000)
	for _, chosen := range []struct{ bmi, avx512 bool }{{hasBMI, hasAVX512}, {hasBMI, false}, {false, false}} {
		useKernels(chosen.bmi, chosen.avx512)
		for _, bits := range []float64{4, 8, 10} { // few and many keys in a line
			block := Config{BitsPerKey: bits}.AppendBlock(nil, [][]uint64{hashes}, filtertest.Seed, 0)
			for range 500 {
				h := rng.Uint64()
				line := block[keyhash.Scale(h, uint64(len(block)/lineSize))*lineSize:][:lineSize]
				done := make(chan bool)
				depth := rng.IntN(200)
				go func() { done <- deep(depth, func() bool { return MayContain(block, h) }) }()
				require.Equal(t, reference(line, h), <-done)
			}
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
