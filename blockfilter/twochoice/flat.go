package twochoice

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// group is the sequence of a group's probes in a flat filter of m bits: double
// hashing with an odd step, as in the paper's experiments (§3.1), with two
// hashes for each of the c groups, or a hash for each probe.
type group struct {
	bit, step, m uint64
	independent  bool
	hash         uint64 // of the current probe, if they are independent
}

func flatGroup(h, m uint64, g int, independent bool) group {
	if independent {
		p := group{m: m, hash: h + uint64(g*MaxFlatProbes)*keyhash.R, independent: true}
		p.next()
		return p
	}
	h += uint64(2*g) * keyhash.R
	return group{
		bit:  keyhash.Scale(keyhash.Mix(h), m),
		step: 1 + 2*keyhash.Scale(keyhash.Mix(h+keyhash.R), m/2),
		m:    m,
	}
}

// next moves to the next probe. It reduces modulo m, below 2⁶³, without a
// branch that half of all probes would mispredict.
func (p *group) next() {
	if p.independent {
		p.hash += keyhash.R
		p.bit = keyhash.Scale(keyhash.Mix(p.hash), p.m)
		return
	}
	over := p.bit + p.step - p.m
	p.bit = over + p.m&uint64(int64(over)>>63)
}
