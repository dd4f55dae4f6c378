package line

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
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

// reference answers Contains from the formula and a plain bit test.
func reference(lines []byte, h uint64, k, choices int) bool {
	start := Index(h, len(lines)/Size) * Bits
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
			p := Group(h, g)
			for i := range MaxProbes {
				require.Equal(t, position(h, uint32(g*MaxProbes+i)), p.Bit(), "group %d probe %d", g, i)
				p.Next()
			}
		}
	}
}

func TestContainsMatchesReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, fill := range []float64{0, 0.3, 0.8, 0.95, 1} {
		lines := make([]byte, 7*Size)
		for i := range len(lines) * 8 {
			if rng.Float64() < fill {
				lines[i/8] |= 1 << (i % 8)
			}
		}
		for k := 1; k <= MaxProbes; k++ {
			for c := 1; c <= MaxChoices; c++ {
				for range 200 {
					h := rng.Uint64()
					require.Equal(t, reference(lines, h, k, c), Contains(lines, h, k, c), "fill=%v k=%d c=%d h=%#x", fill, k, c, h)
				}
			}
		}
	}
}

func TestAddAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for k := 1; k <= MaxProbes; k++ {
		hashes := [][]uint64{{rng.Uint64(), 0}, {}, {^uint64(0)}}
		got, want := make([]byte, 5*Size), make([]byte, 5*Size)
		AddAll(got, hashes, k)
		for _, chunk := range hashes {
			for _, h := range chunk {
				for i := range k {
					bit := Index(h, 5)*Bits + int(position(h, uint32(i)))
					want[bit/8] |= 1 << (bit % 8)
				}
			}
		}
		require.Equal(t, want, got)
	}
}

func TestIndexSpans(t *testing.T) {
	for _, lines := range []int{1, 2, 3, 1000, 1 << 24} {
		require.Equal(t, 0, Index(0, lines))
		require.Equal(t, lines-1, Index(^uint64(0), lines))
	}
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
		require.Equal(t, c.lines, Count(c.n, c.bits, c.max), "%+v", c)
	}
}
