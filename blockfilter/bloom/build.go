package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBody appends a filter for the hashes of keys to dst, and returns what
// its trailer says of it. It allocates nothing beside dst.
func (c Config) AppendBody(dst []byte, hashes [][]uint64) ([]byte, trailer.Trailer) {
	t, size := c.shapeFor(keyhash.Count(hashes))
	k := int(t.Params[1])
	dst, bits := trailer.Grow(dst, size)
	for _, chunk := range hashes {
		if !c.Flat {
			line.Add(bits, chunk, k)
			continue
		}
		for _, h := range chunk {
			addFlat(bits, t.Geometry, h, c.Scheme, k)
		}
	}
	return dst, t
}

// shapeFor returns what the trailer says of a filter for n keys, and the size
// of its bits.
func (c Config) shapeFor(n int) (t trailer.Trailer, size int) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	t.Family = trailer.Bloom
	if c.Flat {
		t.Geometry, size = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
		t.Params[0] = flatLayouts + uint8(c.Scheme)
	} else {
		t.Geometry, size = line.Fit(n, c.BitsPerKey, c.MaxBytes)
	}
	t.Params[1], t.Params[2] = uint8(c.probes()), 1
	return t, size
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, size := c.shapeFor(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys,
// by Rate or LineRate, with the bits per key that MaxBytes and whole lines
// leave.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	t, _ := c.shapeFor(n)
	k := int(t.Params[1])
	if c.Flat {
		return Rate(float64(t.Geometry)/float64(n), k)
	}
	return LineRate(float64(t.Geometry)*line.Bits/float64(n), k)
}

// Wrote reports whether a block's parts are those of a filter that c asks for.
func (c Config) Wrote(body []byte, v *trailer.View) bool { return trailer.Wrote(body, v, c.shapeFor) }

// MayContain answers for a Bloom filter's bits, described by a block's trailer,
// whether the key of hash h may be in it. It answers true for bits that the
// trailer does not fit.
func MayContain(bits []byte, v *trailer.View, h uint64) bool {
	if v.Layout() == 0 {
		return line.MayContain(bits, v, h)
	}
	scheme, m, k := Scheme(v.Layout()-flatLayouts), v.Geometry(), v.Probes()
	if scheme > Classic || v.Choices() != 1 || !trailer.FitsFlat(bits, m) || k == 0 || k > MaxFlatProbes {
		return true
	}
	return containsFlat(bits, m, h, scheme, k)
}
