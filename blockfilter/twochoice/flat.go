package twochoice

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// group is the sequence of a group's probes in a flat filter of m bits: double
// hashing with an odd step, as in the paper's experiments (§3.1), with two
// hashes for each of the c groups, or a hash for each probe.
type group struct {
	bit, step, m uint64
	hash         uint64 // state of Independent
	scheme       Scheme
}

func flatGroup(h, m uint64, g int, s Scheme) group {
	if s == Independent {
		p := group{m: m, hash: h + uint64(g*MaxFlatProbes)*keyhash.Increment, scheme: s}
		p.next()
		return p
	}
	h += uint64(2*g) * keyhash.Increment
	return group{
		bit:  keyhash.Scale(keyhash.Mix(h), m),
		step: 1 + 2*keyhash.Scale(keyhash.Mix(h+keyhash.Increment), m/2),
		m:    m,
	}
}

// next moves to the next probe. It reduces modulo m, below 2⁶³, without a
// branch that half of all probes would mispredict.
func (p *group) next() {
	if p.scheme == Independent {
		p.hash += keyhash.Increment
		p.bit = keyhash.Scale(keyhash.Mix(p.hash), p.m)
		return
	}
	over := p.bit + p.step - p.m
	p.bit = over + p.m&uint64(int64(over)>>63)
}

// containsFlat reports whether all k probes of any group are set.
func containsFlat(filter []byte, m, h uint64, s Scheme, k, choices int) bool {
	for g := range choices {
		if containsGroup(filter, flatGroup(h, m, g, s), k) {
			return true
		}
	}
	return false
}

func containsGroup(filter []byte, p group, k int) bool {
	for range k {
		if filter[p.bit/8]>>(p.bit%8)&1 == 0 {
			return false
		}
		p.next()
	}
	return true
}
