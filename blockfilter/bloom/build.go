package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

// AppendBlock appends a block for the hashes of keys to dst, as
// blockfilter.Family says. It allocates nothing beside dst.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	t, size := c.blockFor(keyhash.Count(hashes))
	t.Seed, t.Level = seed, int8(level)
	k := int(t.Params[1])
	dst, bits := trailer.Grow(dst, size)
	for _, chunk := range hashes {
		if c.Layout == Line {
			line.Add(bits, chunk, k)
			continue
		}
		for _, h := range chunk {
			addFlat(bits, t.Geometry, h, c.Scheme, k)
		}
	}
	return t.Append(dst)
}

// blockFor returns the trailer of a block for n keys, without seed and level,
// and the size of the filter's bits.
func (c Config) blockFor(n int) (t trailer.Trailer, size int) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	t = trailer.Trailer{Keys: uint64(n), Family: trailer.Bloom}
	if c.Layout == Line {
		lines := line.Count(n, c.BitsPerKey, c.MaxBytes)
		t.Geometry, size = uint64(lines), lines*line.Size
		t.Params[0] = uint8(Line)
	} else {
		t.Geometry, size = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
		t.Params[0] = uint8(Flat) + uint8(c.Scheme)
	}
	t.Params[1], t.Params[2] = uint8(c.probes()), 1
	return t, size
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, size := c.blockFor(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys.
// It is the limit (1−e^{−k/b})^k of the flat layout's schemes, or the Poisson
// average over lines, with the bits per key that MaxBytes and whole lines
// leave.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	t, _ := c.blockFor(n)
	k := int(t.Params[1])
	if c.Layout == Line {
		return theory.LineRate(float64(t.Geometry)*line.Bits/float64(n), k)
	}
	return theory.BloomRate(float64(t.Geometry)/float64(n), k)
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
func (c Config) Wrote(block []byte) bool { return trailer.Wrote(block, c.blockFor) }

// MayContain answers for a Bloom filter's bits, described by a block's trailer,
// whether the key of hash h may be in it. It answers true for bits that the
// trailer does not fit.
func MayContain(bits []byte, end *[32]byte, h uint64) bool {
	v := (*trailer.View)(end)
	if v.Layout() == uint8(Line) {
		return line.MayContain(bits, v, h)
	}
	scheme, m, k := Scheme(v.Layout()-uint8(Flat)), v.Geometry(), v.Probes()
	if scheme > Classic || v.Choices() != 1 || !trailer.FitsFlat(bits, m) || k == 0 || k > MaxFlatProbes {
		return true
	}
	return containsFlat(bits, m, h, scheme, k)
}
