package twochoice

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBody appends a filter for the hashes of keys to dst, and returns what
// its trailer says of it. The same hashes in the same order give the same
// filter on every machine.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB in the line
// layout, and 1 + BitsPerKey/2 bytes a key in the flat one.
func (c Config) AppendBody(dst []byte, hashes [][]uint64) ([]byte, trailer.Trailer) {
	n := keyhash.Count(hashes)
	c, t, size := c.fit(n)
	dst, bits := trailer.Grow(dst, size)
	if c.Flat {
		addFlat(bits, t.Geometry, hashes, n, c)
	} else {
		c.addLines(bits, hashes, n)
	}
	return dst, t
}

// fit returns c with every option filled in, as it is for n keys, what the
// trailer of their filter says of it, and the size of its bits.
func (c Config) fit(n int) (fitted Config, t trailer.Trailer, size int) {
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	c = c.withDefaults()
	t = trailer.Trailer{Family: trailer.TwoChoice, Params: [3]uint8{0, uint8(c.Probes), uint8(c.Choices)}}
	switch {
	case !c.Flat:
		t.Geometry, size = line.Fit(n, c.BitsPerKey, c.MaxBytes)
		return c, t, size
	case c.Independent:
		t.Params[0] = flatIndependent
	default:
		t.Params[0] = flatDouble
	}
	t.Geometry, size = trailer.FitFlat(n, c.BitsPerKey, c.MaxBytes)
	return c, t, size
}

func (c Config) shapeFor(n int) (t trailer.Trailer, size int) {
	_, t, size = c.fit(n)
	return t, size
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, size := c.shapeFor(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys:
// that of a large filter with the bits per key that MaxBytes and whole lines
// leave it, within 2 %. With rounds or probes other than the default it is
// measured on the spot, which takes some 30 ms.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	t, _ := c.shapeFor(n)
	c.BitsPerKey = float64(t.Geometry) / float64(n)
	if !c.Flat {
		c.BitsPerKey *= line.Bits
	}
	return c.rate()
}

// Wrote reports whether a block's parts are those of a filter that c asks for.
// Rounds leave no trace in a block, so they do not count.
func (c Config) Wrote(body []byte, v *trailer.View) bool { return trailer.Wrote(body, v, c.shapeFor) }

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
func MayContain(bits []byte, v *trailer.View, h uint64) bool {
	layout, m, k, choices := v.Layout(), v.Geometry(), v.Probes(), v.Choices()
	if layout == 0 {
		return line.MayContain(bits, v, h)
	}
	if layout > flatIndependent || m < trailer.MinFlatBits || !trailer.FitsFlat(bits, m) ||
		uint(k-1) >= MaxFlatProbes || uint(choices-1) >= line.MaxChoices {
		return true
	}
	return containsFlat(bits, m, h, layout == flatIndependent, k, choices)
}
