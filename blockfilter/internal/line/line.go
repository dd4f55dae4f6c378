// Package line implements the cache-line layout: every probe of a key falls in
// one 512-bit line, so a lookup costs one cache miss.
//
// A 64-bit key hash h selects line ⌊h·lines/2⁶⁴⌋ (multiply-shift) and gives two
// 32-bit hashes h1 and h2. Probe i sits at the top 9 bits of
//
//	h1 + i·h2 + T(i)·2²³  mod 2³²,  T(i) = (i³−i)/6,
//
// which is enhanced double hashing (Kirsch and Mitzenmacher 2008, §5.2;
// Dillinger and Manolios 2004). Two things matter, as simulated with 400,000
// keys at 16 bits per key and 9 probes, where random probes give 0.0846 %:
// h1 and h2 carry 32 bits rather than 9, and the cubic term counts in whole
// bit positions. Without the cubic term, or with one that stays below 2²³, the
// rate is 0.132 %; with it, 0.0861 %.
//
// A key of a filter with choices has several groups of probes in its line;
// group g takes i = 16g … 16g+k−1 of the same sequence.
package line

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

const (
	// Size is the length of a line in bytes.
	Size = 64
	// Bits is the length of a line in bits.
	Bits = 512
	// MaxProbes is the most probes that a group can have.
	MaxProbes = 16
	// MaxChoices is the most groups that a key can have.
	MaxChoices = 4

	// unit is one bit position in the 32-bit fixed-point arithmetic of probes.
	unit = 1 << 23

	multiplier = keyhash.R // for the kernels
)

// probes is the sequence of one group's probes: bit is the current one and
// next moves on. The zero value is not useful; see groupOf.
type probes struct {
	x, step, accel uint32
}

// groupOf returns the probes of group g of hash h.
//
// h1 takes the top half of a product because the top bits of h itself are the
// same for all keys of a line; h2 takes the low half of h, which is not.
func groupOf(h uint64, g int) probes {
	h1, h2 := uint32((h*multiplier)>>32), uint32(h)
	s := &starts[g]
	return probes{h1 + s.first*h2 + s.tetrahedral, h2 + s.triangular, s.accel}
}

// starts has, for each group, its first i and T(i), i(i+1)/2 and i+1 in units.
var starts = func() (s [MaxChoices]struct{ first, tetrahedral, triangular, accel uint32 }) {
	for g := range s {
		i := uint32(g * MaxProbes)
		s[g].first, s[g].tetrahedral = i, tetrahedral(i)*unit
		s[g].triangular, s[g].accel = i*(i+1)/2*unit, (i+1)*unit
	}
	return s
}()

func tetrahedral(i uint32) uint32 { return i * (i*i - 1) / 6 }

// bit returns the position of the current probe in its line, 0 to 511.
func (p probes) bit() uint32 { return p.x / unit }

// next returns the sequence from the next probe on.
func (p probes) next() probes {
	return probes{p.x + p.step, p.step + p.accel, p.accel + unit}
}

// at returns the line of hash h.
func at(lines []byte, h uint64) *[Size]byte {
	return (*[Size]byte)(lines[keyhash.Scale(h, uint64(len(lines)/Size))*Size:])
}

// Fit returns the number of lines for n keys at bitsPerKey, and their bytes. It
// rounds up, so that no table gets fewer bits than asked for, but down where
// the block would exceed maxBytes (0 is no limit). There is at least one line.
func Fit(n int, bitsPerKey float64, maxBytes int) (lines uint64, bytes int) {
	count := int(math.Ceil(float64(n) * bitsPerKey / Bits))
	if maxBytes > 0 {
		count = min(count, (maxBytes-trailer.Size)/Size)
	}
	count = max(count, 1)
	return uint64(count), count * Size
}
