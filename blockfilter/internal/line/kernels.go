package line

import "github.com/gravelkv/gravel/blockfilter/internal/trailer"

// containsGeneric is the portable MayContain. A branch on each probe would be
// mispredicted half of the time, so it reads all probes of a group before it
// branches.
func containsGeneric(block []byte, h uint64) bool {
	lines, v, _ := trailer.Split(block)
	if !describes(v, lines) {
		return true
	}
	l, k, choices := at(lines, h), v.Probes(), v.Choices()
	for g := range choices {
		p := groupOf(h, g)
		all := byte(0xff)
		for range k / 2 {
			all &= l[p.x>>26] | otherBits[p.x>>23&7]
			p = p.next()
			all &= l[p.x>>26] | otherBits[p.x>>23&7]
			p = p.next()
		}
		if k%2 == 1 {
			all &= l[p.x>>26] | otherBits[p.x>>23&7]
		}
		if all == 0xff {
			return true
		}
	}
	return false
}

// describes reports whether v is consistent and fits lines.
func describes(v *trailer.View, lines []byte) bool {
	return trailer.FitsLines(lines, v.Geometry()) &&
		uint(v.Probes()-1) < MaxProbes && uint(v.Choices()-1) < MaxChoices
}

// otherBits has every bit of a byte but one. The low 3 of a probe's 9 position
// bits choose it, the others the byte of the line. A table beats a shift by a
// variable, which takes three instructions on a baseline amd64.
var otherBits = [8]byte{0xfe, 0xfd, 0xfb, 0xf7, 0xef, 0xdf, 0xbf, 0x7f}

func addGeneric(lines []byte, hashes []uint64, k int) {
	for _, h := range hashes {
		l := at(lines, h)
		p := groupOf(h, 0)
		for range k {
			l[p.x>>26] |= 1 << (p.x >> 23 & 7)
			p = p.next()
		}
	}
}
