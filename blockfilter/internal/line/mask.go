package line

// Mask is a set of bits of one line.
type Mask [Bits / 64]uint64

func masksGeneric(masks []Mask, hashes []uint64, k, choices int) {
	clear(masks)
	for i, h := range hashes {
		for g := range choices {
			masks[i*choices+g].AddGroup(h, g, k)
		}
	}
}

// AddGroup adds the k probes of group g of hash h.
func (m *Mask) AddGroup(h uint64, g, k int) {
	p := groupOf(h, g)
	for range k {
		bit := p.bit()
		m[bit/64] |= 1 << (bit % 64)
		p = p.next()
	}
}
