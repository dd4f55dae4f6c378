package twochoice

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// group is the sequence of a group's probes in a flat filter of m bits: double
// hashing with an odd step, as in the paper's experiments (§3.1). Each of the
// c groups has two hashes of its own.
type group struct {
	bit, step, m uint64
}

func flatGroup(h, m uint64, g int) group {
	h += uint64(2*g) * keyhash.Increment
	return group{keyhash.Scale(keyhash.Mix(h), m), 1 + 2*keyhash.Scale(keyhash.Mix(h+keyhash.Increment), m/2), m}
}

// next moves to the next probe. It reduces modulo m, below 2⁶³, without a
// branch that half of all probes would mispredict.
func (p *group) next() {
	over := p.bit + p.step - p.m
	p.bit = over + p.m&uint64(int64(over)>>63)
}

// containsFlat reports whether all k probes of any group are set.
func containsFlat(filter []byte, m, h uint64, k, choices int) bool {
	for g := range choices {
		if containsGroup(filter, flatGroup(h, m, g), k) {
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
