package inspect

import (
	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/bloom"
)

// expected returns the rate of filters of the row's mean size, if its family is
// known.
func (r *Row) expected() (rate float64, ok bool) {
	if r.Keys == 0 || r.Bytes == 0 {
		return 0, false
	}
	keys, bytes := float64(r.Keys)/float64(r.Tables), float64(r.Bytes)/float64(r.Tables)
	if r.Family == PebbleBloom {
		bits := 8 * (bytes - pebbleTrailer) / keys
		return bloom.LineRate(bits, max(r.pebbleProbes, 1)), true
	}
	policy, err := ofSize(r.Family, int(keys), bytes)
	if err != nil {
		return 0, false
	}
	return policy.ExpectedRate(int(keys)), true
}

// ofSize returns the policy of a family that writes blocks of about so many
// bytes: sizes lie on a straight line over the bits per key.
func ofSize(family string, keys int, bytes float64) (blockfilter.Policy, error) {
	const low, high = 4, 12 // bits per key that every family has
	policy, err := blockfilter.ParsePolicy(family + ":10")
	if err != nil {
		return policy, err
	}
	size := func(bits float64) float64 {
		p, _ := policy.WithBitsPerKey(bits)
		return float64(p.ExpectedSize(keys))
	}
	return policy.WithBitsPerKey(low + (high-low)*(bytes-size(low))/(size(high)-size(low)))
}
