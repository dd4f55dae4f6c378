package bloom

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

func addFlat(filter []byte, m, h uint64, s Scheme, k int) {
	if s == Classic {
		var buffer [MaxFlatProbes]uint64
		for _, bit := range distinctBits(&buffer, m, h, k) {
			filter[bit/8] |= 1 << (bit % 8)
		}
		return
	}
	p := newProbes(m, h, s, k)
	for range flatProbes(m, s, k) {
		bit := p.next()
		filter[bit/8] |= 1 << (bit % 8)
	}
}

// flatProbes returns the number of probes in a filter of m bits: k, unless that
// would be more than a partitioned filter can have parts.
func flatProbes(m uint64, s Scheme, k int) int {
	if s == Partition {
		return int(min(m, uint64(k)))
	}
	return k
}

// probes is the sequence of a key's probes in a flat filter of m bits.
//
// One recurrence serves the double-hashing schemes, which differ in range and
// in how the step grows: x is the probe, y the step to the next one, y grows by
// accel and accel by jerk. With f(i) = i² the step h2+2i+1 grows by 2; with
// f(i) = i³ the step h2+3i²+3i+1 grows by 6i+6.
type probes struct {
	scheme            Scheme
	m                 uint64 // range of x: the filter, or one part of it
	x, y, accel, jerk uint64
	offset            uint64 // of the current part
	hash              uint64 // state of Independent
}

func newProbes(m, h uint64, s Scheme, k int) probes {
	p := probes{scheme: s, m: m, hash: h}
	if s == Partition {
		p.m = max(m/uint64(k), 1)
	}
	p.x = keyhash.Scale(keyhash.Mix(h), p.m)
	// h2 is never 0, which would put every probe on one bit.
	p.y = (1 + keyhash.Scale(keyhash.Mix(h+keyhash.R), max(p.m-1, 1))) % p.m
	switch s {
	case Enhanced2:
		p.y, p.accel = (p.y+1)%m, 2%m
	case Enhanced3:
		p.y, p.accel, p.jerk = (p.y+1)%m, 6%m, 6%m
	}
	return p
}

// next returns the position of the next probe.
func (p *probes) next() uint64 {
	if p.scheme == Independent {
		p.hash += keyhash.R
		return keyhash.Scale(keyhash.Mix(p.hash), p.m)
	}
	bit := p.offset + p.x
	p.x = addMod(p.x, p.y, p.m)
	if p.scheme == Double {
		return bit
	}
	p.y = addMod(p.y, p.accel, p.m)
	p.accel = addMod(p.accel, p.jerk, p.m)
	if p.scheme == Partition {
		p.offset += p.m
	}
	return bit
}

// distinctBits draws k distinct positions, uniformly among all sets of k, by
// Floyd's algorithm (Bentley and Floyd 1987), which ends after k draws for any
// m. A filter of fewer than k bits gets all of them.
func distinctBits(buffer *[MaxFlatProbes]uint64, m, h uint64, k int) []uint64 {
	drawn := buffer[:0]
	for last := m - min(m, uint64(k)); last < m; last++ {
		h += keyhash.R
		bit := keyhash.Scale(keyhash.Mix(h), last+1)
		for _, d := range drawn {
			if d == bit {
				bit = last
				break
			}
		}
		drawn = append(drawn, bit)
	}
	return drawn
}

// addMod returns a+b mod m for a, b < m.
func addMod(a, b, m uint64) uint64 {
	s := a + b
	if s >= m {
		s -= m
	}
	return s
}
