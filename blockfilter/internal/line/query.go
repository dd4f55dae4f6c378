package line

import "github.com/gravelkv/gravel/blockfilter/internal/trailer"

// MayContain answers for a block in the line layout whether the key of hash h
// may be in it. It answers true for bits that v does not fit.
func MayContain(bits []byte, v *trailer.View, h uint64) bool {
	k, choices := v.Probes(), v.Choices()
	if len(bits) == 0 || len(bits)%Size != 0 || v.Geometry() != uint64(len(bits))*8 ||
		uint(k-1) >= MaxProbes || uint(choices-1) >= MaxChoices {
		return true
	}
	return Contains(bits, h, k, choices)
}
