package twochoice

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst a filter block for the given key hashes: the
// filter's bits, then t with the fields that describe them filled in. The
// caller sets t's Seed and Level. The same hashes in the same order give the
// same block on every machine.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB in the line
// layout, and 1 + BitsPerKey/2 bytes a key in the flat one.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, t trailer.Trailer) []byte {
	n := keyhash.Count(hashes)
	c.BitsPerKey = trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	c = c.withDefaults()
	t.Family, t.Layout, t.Keys = trailer.TwoChoice, uint8(c.Layout)+uint8(c.Scheme), uint64(n)
	t.Probes, t.Choices = uint8(c.Probes), uint8(c.Choices)

	if c.Layout == Line {
		count := line.Count(n, c.BitsPerKey, c.MaxBytes)
		dst, lines := trailer.Grow(dst, count*line.Size)
		c.addLines(lines, hashes, n)
		t.Geometry = uint64(count)
		return t.Append(dst)
	}
	m := trailer.FlatBits(n, c.BitsPerKey, c.MaxBytes)
	dst, bits := trailer.Grow(dst, int((m+7)/8))
	addFlat(bits, m, hashes, n, c)
	t.Geometry = m
	return t.Append(dst)
}

// addLines sets the bits of a filter in the line layout.
func (c Config) addLines(lines []byte, hashes [][]uint64, n int) {
	if c.Choices == 1 {
		line.AddAll(lines, hashes, c.Probes)
		return
	}
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

// MayContain answers for a two-choice filter's bits, described by v, whether
// the key of hash h may be in it. It answers true for bits that v does not fit.
func MayContain(bits []byte, v *trailer.View, h uint64) bool {
	switch Layout(v.Layout()) {
	case Line:
		return line.MayContain(bits, v, h)
	case Flat + Layout(Double), Flat + Layout(Independent):
		m, k, choices := v.Geometry(), v.Probes(), v.Choices()
		if m < trailer.MinFlatBits || m > uint64(len(bits))*8 || len(bits) != int((m+7)/8) ||
			uint(k-1) >= MaxFlatProbes || uint(choices-1) >= MaxChoices {
			return true
		}
		return containsFlat(bits, m, h, Scheme(v.Layout()-uint8(Flat)), k, choices)
	}
	return true
}
