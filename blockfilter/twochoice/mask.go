package twochoice

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// mask is a set of bits of one line.
type mask [line.Bits / 64]uint64

// addGroup adds the k probes of group g of hash h.
func (m *mask) addGroup(h uint64, g, k int) {
	p := line.Group(h, g)
	for range k {
		bit := p.Bit()
		m[bit/64] |= 1 << (bit % 64)
		p = p.Next()
	}
}

func (m *mask) ones() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}
