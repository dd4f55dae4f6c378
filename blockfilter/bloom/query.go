package bloom

import (
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// MayContain answers for a block of a Bloom filter whether the key of hash h
// may be in it. It answers true for a block whose trailer does not fit it.
func MayContain(block []byte, h uint64) bool {
	bits, v, ok := trailer.Split(block)
	if !ok {
		return true
	}
	if v.Layout() == 0 {
		return line.MayContain(block, h)
	}
	scheme, m, k := Scheme(v.Layout()-flatLayouts), v.Geometry(), v.Probes()
	if scheme > Classic || v.Choices() != 1 || !trailer.FitsFlat(bits, m) || k == 0 || k > MaxFlatProbes {
		return true
	}
	return containsFlat(bits, m, h, scheme, k)
}

func containsFlat(filter []byte, m, h uint64, s Scheme, k int) bool {
	if s == Classic {
		var buffer [MaxFlatProbes]uint64
		for _, bit := range distinctBits(&buffer, m, h, k) {
			if filter[bit/8]>>(bit%8)&1 == 0 {
				return false
			}
		}
		return true
	}
	p := newProbes(m, h, s, k)
	for range flatProbes(m, s, k) {
		bit := p.next()
		if filter[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}
