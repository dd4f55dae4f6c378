package line

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// position is the formula of the package comment, probe by probe.
func position(h uint64, i uint32) uint32 {
	h1, h2 := uint32(h*multiplier>>32), uint32(h)
	cubic := uint64(i) * (uint64(i)*uint64(i) - 1) / 6
	if i == 0 {
		cubic = 0
	}
	return (h1 + i*h2 + uint32(cubic<<23)) >> 23
}

// reference answers MayContain from the formula and a plain bit test.
func reference(lines []byte, h uint64, k, choices int) bool {
	start := int(keyhash.Scale(h, uint64(len(lines)/Size))) * Bits
	for g := range choices {
		all := true
		for i := range k {
			bit := start + int(position(h, uint32(g*MaxProbes+i)))
			all = all && lines[bit/8]>>(bit%8)&1 == 1
		}
		if all {
			return true
		}
	}
	return false
}

func TestProbesFollowFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		h := rng.Uint64()
		for g := range MaxChoices {
			p := groupOf(h, g)
			for i := range MaxProbes {
				require.Equal(t, position(h, uint32(g*MaxProbes+i)), p.bit(), "group %d probe %d", g, i)
				p = p.next()
			}
		}
	}
}

// kernels has every implementation of MayContain that this machine can run.
var kernels = map[string]func(block []byte, h uint64) bool{
	"generic":    containsGeneric,
	"dispatched": MayContain,
}

// block returns a copy of lines with a trailer that describes them.
func block(lines []byte, k, choices int) []byte {
	s := trailer.Shape{Geometry: uint64(len(lines) / Size), Params: [3]uint8{0, uint8(k), uint8(choices)}}
	return s.Append(bytes.Clone(lines), 0, 0, 0)
}

// extremes are hashes at the edges of the arithmetic: the first and last line,
// steps of 0, ±1 and half the line.
var extremes = []uint64{0, 1, 1 << 22, 1 << 23, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 63, 1<<64 - 1<<32, 1<<64 - 1}

func TestKernelsMatchReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, fill := range []float64{0, 0.3, 0.8, 0.95, 1} {
		lines := make([]byte, 7*Size)
		for i := range len(lines) * 8 {
			if rng.Float64() < fill {
				lines[i/8] |= 1 << (i % 8)
			}
		}
		hashes := append([]uint64(nil), extremes...)
		for range 200 {
			hashes = append(hashes, rng.Uint64())
		}
		for k := 1; k <= MaxProbes; k++ {
			for c := 1; c <= MaxChoices; c++ {
				b := block(lines, k, c)
				for _, h := range hashes {
					want := reference(lines, h, k, c)
					for name, contains := range kernels {
						if contains(b, h) != want {
							t.Fatalf("%s: fill=%v k=%d c=%d h=%#x: want %v", name, fill, k, c, h, want)
						}
					}
				}
			}
		}
	}
}

// TestTrailersThatDoNotDescribe asks lines without a set bit, which answer false
// unless the trailer contradicts itself or them.
func TestTrailersThatDoNotDescribe(t *testing.T) {
	for _, size := range []int{0, 1, Size - 1, Size, Size + 1, 3 * Size} {
		for _, n := range []uint64{0, 1, 2, 3, 1 << 55, 1 << 56, 1<<56 + 1, 1 << 58, 1<<58 + 1, 1 << 59, 1<<58 + 3, 1 << 63, 1<<64 - 1} {
			for k := range 256 {
				for _, c := range []int{0, 1, 2, 3, 4, 5, 8, 128, 255} {
					b := block(make([]byte, size), k, c)
					binary.LittleEndian.PutUint64(b[size+16:], n)
					want := size == int(n)*Size && 1 <= n && n <= 3 && 1 <= k && k <= MaxProbes && 1 <= c && c <= MaxChoices
					if MayContain(b, 1<<40+1) == want || containsGeneric(b, 1<<40+1) == want {
						t.Fatalf("%d bytes, n=%#x k=%d c=%d: want described=%v", size, n, k, c, want)
					}
				}
			}
		}
	}
}

// adders has every implementation of add that this machine can run.
var adders = map[string]func(lines []byte, hashes []uint64, k int){
	"generic":    addGeneric,
	"dispatched": Add,
}

func TestAddersMatchReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	hashes := append([]uint64{rng.Uint64(), rng.Uint64()}, extremes...)
	for k := 1; k <= MaxProbes; k++ {
		want := make([]byte, 5*Size)
		for _, h := range hashes {
			for i := range k {
				bit := int(keyhash.Scale(h, 5))*Bits + int(position(h, uint32(i)))
				want[bit/8] |= 1 << (bit % 8)
			}
		}
		for name, add := range adders {
			got := make([]byte, 5*Size)
			add(got, hashes, k)
			require.Equal(t, want, got, "%s k=%d", name, k)
		}
	}
	lines := make([]byte, Size)
	for _, chunk := range [][]uint64{{}, {1}, nil} {
		Add(lines, chunk, 3)
	}
	require.NotEqual(t, make([]byte, Size), lines)
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n     int
		bits  float64
		max   int
		lines int
	}{
		{0, 10, 0, 1},
		{1, 10, 0, 1},
		{51, 10, 0, 1},
		{52, 10, 0, 2},
		{1000, 10, 0, 20},
		{1000, 10, 1024, 15},
		{1000, 10, 1, 1},
	} {
		lines, bytes := Fit(c.n, c.bits, c.max)
		require.EqualValues(t, c.lines, lines, "%+v", c)
		require.Equal(t, c.lines*Size, bytes)
	}
}
