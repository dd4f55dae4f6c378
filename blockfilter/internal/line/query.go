package line

import (
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// describes reports whether v is consistent and fits lines; kernels rely on it.
func describes(v *trailer.View, lines []byte) bool {
	n := v.Geometry()
	return n-1 < maxLines && n*Size == uint64(len(lines)) &&
		uint(v.Probes()-1) < MaxProbes && uint(v.Choices()-1) < MaxChoices
}

// maxLines keeps the number of bytes within 64 bits.
const maxLines = 1 << 56

// containsGeneric is the portable kernel. It reads every probe of a group, two
// at a time, and branches once: a branch on each probe would be mispredicted
// for most absent keys.
func containsGeneric(lines []byte, v *trailer.View, h uint64) bool {
	l, k := at(lines, h), v.Probes()
	for g := range v.Choices() {
		p := Group(h, g)
		missing := byte(0)
		for range k / 2 {
			q := p.Next()
			missing |= p.missing(l) | q.missing(l)
			p = q.Next()
		}
		if k%2 == 1 {
			missing |= p.missing(l)
		}
		if missing == 0 {
			return true
		}
	}
	return false
}

// missing is 0 if the current probe is set in l.
func (p Probes) missing(l *[Size]byte) byte { return p.mask() &^ l[p.x>>26] }
