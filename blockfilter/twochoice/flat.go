package twochoice

import mathbits "math/bits"

// minFlatBits keeps the filters of tables with few keys from being full.
const minFlatBits = 64

// group is the sequence of a group's probes in a flat filter of m bits: double
// hashing with an odd step, as in the paper's experiments (§3.1). Each of the
// c groups has two hashes of its own.
type group struct {
	bit, step, m uint64
}

func flatGroup(h, m uint64, g int) group {
	h += uint64(2*g) * increment
	return group{scale(mix(h), m), 1 + 2*scale(mix(h+increment), m/2), m}
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

// increment is the odd constant of the SplitMix64 generator (Steele, Lea and
// Flood 2014); mix is its output function, a bijection.
const increment = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// scale maps a uniform hash to 0 … m−1 by multiply-shift.
func scale(h, m uint64) uint64 {
	hi, _ := mathbits.Mul64(h, m)
	return hi
}
