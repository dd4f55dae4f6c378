package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

// AppendBlock appends to dst a filter block for the given key hashes: the
// filter's bits and a trailer. Seed is that of the hashes, level that of the
// LSM or −1. It allocates nothing beside dst.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	s := c.shapeFor(n)
	t := trailer.Trailer{
		Seed: seed, Keys: uint64(n), Geometry: s.geometry,
		Family: trailer.Bloom, Params: [3]uint8{s.layout, uint8(s.probes), 1}, Level: int8(level),
	}
	dst, bits := trailer.Grow(dst, s.bytes())
	if c.Layout == Line {
		line.AddAll(bits, hashes, s.probes)
		return t.Append(dst)
	}
	for _, chunk := range hashes {
		for _, h := range chunk {
			addFlat(bits, s.geometry, h, c.Scheme, s.probes)
		}
	}
	return t.Append(dst)
}

// shape is what a block records of a filter but its bits and keys.
type shape struct {
	layout   uint8
	geometry uint64 // lines, or bits of a flat filter
	probes   int
}

// shapeFor returns the shape of a filter for n keys.
func (c Config) shapeFor(n int) shape {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	if c.Layout == Line {
		return shape{uint8(Line), uint64(line.Count(n, c.BitsPerKey, c.MaxBytes)), c.probes()}
	}
	return shape{flatLayout(c.Scheme), trailer.FlatBits(n, c.BitsPerKey, c.MaxBytes), c.probes()}
}

// bytes returns the size of the filter's bits.
func (s shape) bytes() int {
	if s.layout == uint8(Line) {
		return int(s.geometry) * line.Size
	}
	return int((s.geometry + 7) / 8)
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int { return c.shapeFor(n).bytes() + trailer.Size }

// ExpectedRate returns the false-positive rate of a filter for n distinct keys.
// It is the limit (1−e^{−k/b})^k of the flat layout's schemes, or the Poisson
// average over lines, with the bits per key that MaxBytes and whole lines
// leave.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	s := c.shapeFor(n)
	if c.Layout == Line {
		return theory.LineRate(float64(s.geometry)*line.Bits/float64(n), s.probes)
	}
	return theory.BloomRate(float64(s.geometry)/float64(n), s.probes)
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
func (c Config) Wrote(block []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok || v.Family() != trailer.Bloom || v.Keys() > trailer.MaxKeys {
		return false
	}
	s := c.shapeFor(int(v.Keys()))
	return s == shape{v.Layout(), v.Geometry(), v.Probes()} && v.Choices() == 1 && s.bytes() == len(body)
}

// MayContain answers for a Bloom filter's bits, described by a block's trailer,
// whether the key of hash h may be in it. It answers true for bits that the
// trailer does not fit.
func MayContain(bits []byte, end *[32]byte, h uint64) bool {
	v := (*trailer.View)(end)
	if v.Layout() == uint8(Line) {
		return line.MayContain(bits, v, h)
	}
	m, k := v.Geometry(), v.Probes()
	scheme, ok := flatScheme(v.Layout())
	if !ok || v.Choices() != 1 || m == 0 || m > uint64(len(bits))*8 || len(bits) != int((m+7)/8) || k == 0 || k > MaxFlatProbes {
		return true
	}
	return containsFlat(bits, m, h, scheme, k)
}

// flatLayout is the layout byte of a flat filter with scheme s.
func flatLayout(s Scheme) uint8 { return uint8(Flat) + uint8(s) }

func flatScheme(layout uint8) (s Scheme, ok bool) {
	s = Scheme(layout - uint8(Flat))
	return s, s <= Classic
}
