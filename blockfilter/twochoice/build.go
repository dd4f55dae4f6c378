package twochoice

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst the block of the keys with these hashes under
// seed, for a level of the LSM from 0 to 6, or for none if it is −1.
// The same hashes in the same order give the same filter on every machine.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB in the line
// layout, and 1 + BitsPerKey/2 bytes a key in the flat one.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	c, shape := c.fit(n)
	dst, bits := trailer.Grow(dst, shape.Bytes)
	if c.Flat {
		addFlat(bits, shape.Geometry, hashes, n, c)
	} else {
		c.addLines(bits, hashes, n)
	}
	return shape.Append(dst, seed, n, level)
}

// fit returns c with every option filled in, as it is for n keys, and what the
// trailer of their filter says of it.
func (c Config) fit(n int) (fitted Config, s trailer.Shape) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	c = c.withDefaults()
	s = trailer.Shape{Family: trailer.TwoChoice, Params: [3]uint8{c.layout(), uint8(c.Probes), uint8(c.Choices)}}
	if c.Flat {
		s.Geometry, s.Bytes = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
	} else {
		s.Geometry, s.Bytes = line.Fit(n, c.BitsPerKey, c.MaxBytes)
	}
	return c, s
}

func (c Config) shape(n int) trailer.Shape {
	_, s := c.fit(n)
	return s
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int { return c.shape(n).BlockSize() }

// ExpectedRate returns the false-positive rate of a filter for n ≥ 1 keys:
// that of a large filter with the bits per key that MaxBytes and whole lines
// leave it, within 2 %. With rounds or probes other than the default it is
// measured on the spot, which takes some 30 ms.
func (c Config) ExpectedRate(n int) float64 {
	c.BitsPerKey = float64(c.shape(n).Geometry) / float64(n)
	if !c.Flat {
		c.BitsPerKey *= line.Bits
	}
	return c.rate()
}

// Wrote reports whether c writes such a block for as many keys. Rounds leave no
// trace in a block, so they do not count.
func (c Config) Wrote(block []byte) bool { return trailer.Wrote(block, c.shape) }

// addLines sets the bits of a filter in the line layout.
func (c Config) addLines(lines []byte, hashes [][]uint64, n int) {
	o := optimizer{probes: c.Probes, choices: c.Choices}
	count := len(lines) / line.Size
	load := float64(n) / float64(count)
	for i, keys := range keyhash.ByLine(hashes, n, count) {
		if len(keys) == 0 {
			continue
		}
		l := o.line(keys, c.roundsFor(len(keys), load))
		for w, word := range l {
			binary.LittleEndian.PutUint64(lines[i*line.Size+w*8:], word)
		}
	}
}

// roundsFor gives a line rounds in proportion to its load. For the same work
// that beats equal rounds for all by 0.3 % of the rate at 10 bits per key and
// two choices, 0.8 % at 16 bits, and 3.8 % at 16 bits and four choices.
func (c Config) roundsFor(load int, mean float64) int {
	return max(1, int(float64(c.Rounds*min(load, maxLoad))/mean+0.5))
}
