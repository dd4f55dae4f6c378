package twochoice

import (
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// MayContain answers for a block of a two-choice filter whether the key of hash
// h may be in it. It answers true for a block whose trailer does not fit it.
func MayContain(block []byte, h uint64) bool {
	bits, v, ok := trailer.Split(block)
	if !ok {
		return true
	}
	layout, m, k, choices := v.Layout(), v.Geometry(), v.Probes(), v.Choices()
	if layout == 0 {
		return line.MayContain(block, h)
	}
	if layout > flatIndependent || m < trailer.MinFlatBits || !trailer.FitsFlat(bits, m) ||
		uint(k-1) >= MaxFlatProbes || uint(choices-1) >= line.MaxChoices {
		return true
	}
	return containsFlat(bits, m, h, layout == flatIndependent, k, choices)
}

// containsFlat reports whether all k probes of any group are set.
func containsFlat(filter []byte, m, h uint64, independent bool, k, choices int) bool {
	for g := range choices {
		if containsGroup(filter, flatGroup(h, m, g, independent), k) {
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
