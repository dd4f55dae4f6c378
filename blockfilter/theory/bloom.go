package theory

import "math"

// maxBits per key are the most that the inverse functions consider.
const maxBits = 64

// BloomRate is the false-positive rate (1 − e^(−k/b))^k of a flat Bloom
// filter of b bits per key and k independent probes, in the limit of many
// keys (E of Burns, equation 58; Kirsch and Mitzenmacher 2008, section 2). It
// is NaN unless bitsPerKey > 0 and k ≥ 1.
func BloomRate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 {
		return math.NaN()
	}
	return math.Pow(-math.Expm1(-float64(k)/bitsPerKey), float64(k))
}

// BloomProbes is the number of probes k ≥ 1 with the least BloomRate, one of
// the two integers next to bitsPerKey·ln 2.
func BloomProbes(bitsPerKey float64) int {
	if !(bitsPerKey > 0) {
		return 1
	}
	k := max(1, int(bitsPerKey*math.Ln2))
	if BloomRate(bitsPerKey, k+1) < BloomRate(bitsPerKey, k) {
		return k + 1
	}
	return k
}

// BloomBits is the least number of bits per key with which a flat Bloom
// filter, given its best k, reaches the rate: 0 for rates of 1 and more, +Inf
// for rates that 64 bits do not reach.
func BloomBits(rate float64) float64 {
	if rate >= 1 {
		return 0
	}
	if !(rate > 0) {
		return math.Inf(1)
	}
	least := math.Inf(1)
	for k := 1; k <= maxBits; k++ {
		bits := float64(k) / -math.Log1p(-math.Pow(rate, 1/float64(k)))
		least = min(least, bits)
	}
	if least > maxBits {
		return math.Inf(1)
	}
	return least
}
