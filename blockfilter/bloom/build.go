package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst a filter block for the given key hashes: the
// filter's bits, then t with the fields that describe them filled in. The
// caller sets t's Seed and Level. It allocates nothing beside dst.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, t trailer.Trailer) []byte {
	n := keyhash.Count(hashes)
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	k := c.probes()

	t.Family, t.Keys, t.Probes, t.Choices = trailer.Bloom, uint64(n), uint8(k), 1
	if c.Layout == Line {
		count := line.Count(n, c.BitsPerKey, c.MaxBytes)
		dst, lines := trailer.Grow(dst, count*line.Size)
		line.AddAll(lines, hashes, k)
		t.Geometry = uint64(count)
		return t.Append(dst)
	}

	m := trailer.FlatBits(n, c.BitsPerKey, c.MaxBytes)
	dst, bits := trailer.Grow(dst, int((m+7)/8))
	for _, chunk := range hashes {
		for _, h := range chunk {
			addFlat(bits, m, h, c.Scheme, k)
		}
	}
	t.Layout, t.Geometry = flatLayout(c.Scheme), m
	return t.Append(dst)
}

// MayContain answers for a Bloom filter's bits, described by v, whether the key
// of hash h may be in it. It answers true for bits that v does not fit.
func MayContain(bits []byte, v *trailer.View, h uint64) bool {
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
