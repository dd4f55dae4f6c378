package twochoice

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends a block for the hashes of keys to dst, as
// blockfilter.Family says. The same hashes in the same order give the same block
// on every machine.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB in the line
// layout, and 1 + BitsPerKey/2 bytes a key in the flat one.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	c, t, size := c.fit(n)
	t.Seed, t.Level = seed, int8(level)
	dst, bits := trailer.Grow(dst, size)
	if c.Layout == Line {
		c.addLines(bits, hashes, n)
	} else {
		addFlat(bits, t.Geometry, hashes, n, c)
	}
	return t.Append(dst)
}

// fit returns c with every option filled in, as it is for n keys, the trailer
// of their block without seed and level, and the size of the filter's bits.
func (c Config) fit(n int) (fitted Config, t trailer.Trailer, size int) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	c = c.withDefaults()
	t = trailer.Trailer{
		Keys: uint64(n), Family: trailer.TwoChoice,
		Params: [3]uint8{uint8(c.Layout) + uint8(c.Scheme), uint8(c.Probes), uint8(c.Choices)},
	}
	if c.Layout == Line {
		lines := line.Count(n, c.BitsPerKey, c.MaxBytes)
		t.Geometry, size = uint64(lines), lines*line.Size
	} else {
		t.Geometry, size = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
	}
	return c, t, size
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, _, size := c.fit(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys:
// that of a large filter with the bits per key that MaxBytes and whole lines
// leave it, within 2 %. It takes 10 ms or so with rounds or probes other than
// the default, for which it is measured on the spot.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	_, t, _ := c.fit(n)
	c.BitsPerKey = float64(t.Geometry) / float64(n)
	if c.Layout == Line {
		c.BitsPerKey *= line.Bits
	}
	return c.rate()
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
// Rounds leave no trace in a block, so they do not count.
func (c Config) Wrote(block []byte) bool {
	return trailer.Wrote(block, func(n int) (trailer.Trailer, int) {
		_, t, size := c.fit(n)
		return t, size
	})
}

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

// MayContain answers for a two-choice filter's bits, described by a block's
// trailer, whether the key of hash h may be in it. It answers true for bits
// that the trailer does not fit.
func MayContain(bits []byte, end *[32]byte, h uint64) bool {
	v := (*trailer.View)(end)
	if v.Layout() == uint8(Line) {
		return line.MayContain(bits, v, h)
	}
	scheme, m, k, choices := Scheme(v.Layout()-uint8(Flat)), v.Geometry(), v.Probes(), v.Choices()
	if scheme > Independent || m < trailer.MinFlatBits || !trailer.FitsFlat(bits, m) ||
		uint(k-1) >= MaxFlatProbes || uint(choices-1) >= MaxChoices {
		return true
	}
	return containsFlat(bits, m, h, scheme, k, choices)
}
