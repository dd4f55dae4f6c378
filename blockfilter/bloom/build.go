package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst the block of the keys with these hashes under
// seed, for a level of the LSM from 0 to 6, or for none if it is −1. It
// allocates nothing beside dst.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	shape := c.shape(n)
	k := int(shape.Params[1])
	dst, bits := trailer.Grow(dst, shape.Bytes)
	for _, chunk := range hashes {
		if !c.Flat {
			line.Add(bits, chunk, k)
			continue
		}
		for _, h := range chunk {
			addFlat(bits, shape.Geometry, h, c.Scheme, k)
		}
	}
	return shape.Append(dst, seed, n, level)
}

// shape returns what the trailer says of a filter for n keys.
func (c Config) shape(n int) (s trailer.Shape) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	s.Family = trailer.Bloom
	if c.Flat {
		s.Geometry, s.Bytes = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
		s.Params[0] = flatLayouts + uint8(c.Scheme)
	} else {
		s.Geometry, s.Bytes = line.Fit(n, c.BitsPerKey, c.MaxBytes)
	}
	s.Params[1], s.Params[2] = uint8(c.probes()), 1
	return s
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int { return c.shape(n).BlockSize() }

// ExpectedRate returns the false-positive rate of a filter for n ≥ 1 keys, by
// Rate or LineRate, with the bits per key that MaxBytes and whole lines leave.
func (c Config) ExpectedRate(n int) float64 {
	s := c.shape(n)
	k := int(s.Params[1])
	if c.Flat {
		return Rate(float64(s.Geometry)/float64(n), k)
	}
	return LineRate(float64(s.Geometry)*line.Bits/float64(n), k)
}

// Wrote reports whether c writes such a block for as many keys.
func (c Config) Wrote(block []byte) bool { return trailer.Wrote(block, c.shape) }
