//go:build !purego

package ribbon

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// TestKernel compares the kernel with the pure Go columns. The blocks lie right
// before a page that faults when read, and the bytes that the kernel may read.
func TestKernel(t *testing.T) {
	if !useAVX2 {
		t.Skip("no AVX2")
	}
	rng := rand.New(rand.NewPCG(1, 3))
	fills := []func() byte{
		func() byte { return 0 },
		func() byte { return 0xff },
		func() byte { return byte(rng.Uint32()) },
	}
	words := []uint64{0, 1, 1 << 63, math.MaxUint64, 0x5555555555555555, rng.Uint64(), rng.Uint64()}
	for columns := uint64(1); columns <= maxColumns; columns++ {
		blocks := guarded[byte](t, int(16*columns)+24)
		for _, fill := range fills {
			for i := range blocks {
				blocks[i] = fill()
			}
			padded := append(slices.Clone(blocks), make([]byte, trailer.Size)...)
			for _, lo := range words {
				for _, hi := range words {
					r := reach{columns: columns, lo: lo, hi: hi}
					want := r.value(padded)
					for _, junk := range []uint32{0, ^r.mask()} {
						require.True(t, matchesAVX2(&blocks[0], columns, lo, hi, want^junk))
					}
					for j := range columns {
						other := want ^ 1<<j
						if matchesAVX2(&blocks[0], columns, lo, hi, other) || r.matchesGeneric(padded, other) {
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
	data := build(Config{BitsPerKey: 10}, hashes)
	g := geometryOf(t, data)
	for _, use := range []bool{useAVX2, false} {
		useAVX2 = use
		for i, h := range slices.Concat(hashes...) {
			r := g.reach(data, h)
			require.True(t, g.matches(data, r, fingerprint(h)))
			require.False(t, g.matches(data, r, fingerprint(h)^uint32(1)<<(i%10)))
		}
	}
}

// TestBuildKernelsAgree builds the same blocks with each kernel.
func TestBuildKernelsAgree(t *testing.T) {
	if !useAVX512 {
		t.Skip("no AVX-512")
	}
	for _, n := range append([]int{50_000}, sizes...) {
		for _, bits := range []float64{1, 8.5, 16, 17, 32} {
			requireSameBlocks(t, Config{BitsPerKey: bits}, filtertest.Hashes(n, 24))
		}
	}
	for _, slots := range []int{1, 2, 10, 100} {
		requireSameBlocks(t, Config{BitsPerKey: 9.5}, crowded(5000, slots))
	}
}

// FuzzBuildKernels is TestBuildKernelsAgree for arbitrary hashes: those of data,
// and as many random ones as make layers.
func FuzzBuildKernels(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint16(1000), uint8(53))
	f.Fuzz(func(t *testing.T, data []byte, random uint16, shift uint8) {
		hashes := filtertest.Hashes(int(random)%5000, 25)
		var own []uint64
		for ; len(data) >= 2; data = data[2:] {
			own = append(own, uint64(binary.LittleEndian.Uint16(data))<<(shift%64))
		}
		requireSameBlocks(t, Config{BitsPerKey: 9.5}, append(hashes, own))
	})
}

func requireSameBlocks(t *testing.T, c Config, hashes [][]uint64) {
	t.Helper()
	defer func(avx512 bool) { useAVX512 = avx512 }(useAVX512)
	block := build(c, hashes)
	useAVX512 = false
	require.True(t, bytes.Equal(build(c, hashes), block))
}

// TestBuildKernelsStayInside gives the kernels memory right before a page that
// faults when read or written.
func TestBuildKernelsStayInside(t *testing.T) {
	if !useAVX512 {
		t.Skip("no AVX-512")
	}
	const reach = bucketSlots + width
	for n := 1; n <= batch; n++ {
		rows, values := guarded[uint64](t, reach), guarded[uint32](t, reach)
		starts, own, ownValues := guarded[uint32](t, n), guarded[uint64](t, n), guarded[uint32](t, n)
		slots, window := guarded[uint64](t, n), guarded[uint64](t, solvedColumns)
		for i := range own {
			starts[i], own[i], ownValues[i] = bucketSlots-1-uint32(i), row(uint64(i)), uint32(i)
		}
		taken, ok := insertAVX512(&rows[0], &values[0], reach, 1000, &starts[0], &own[0], &ownValues[0], n, &slots[0])
		require.True(t, ok)
		require.Equal(t, n, taken)
		for _, slot := range slots {
			require.NotZero(t, rows[slot-1000])
		}
		solveAVX512(&rows[0], &values[0], reach, 0, &window[0])
	}
}

// guarded returns n elements right before a page that faults.
func guarded[T byte | uint32 | uint64](t *testing.T, n int) []T {
	t.Helper()
	page := filtertest.Page(t)
	var element T
	return unsafe.Slice((*T)(unsafe.Pointer(&page[len(page)-n*int(unsafe.Sizeof(element))])), n)
}
