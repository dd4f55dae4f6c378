package theory

import "math"

// LowerBoundBits is log2(1/rate), the bits per key that any filter with this
// false-positive rate needs when keys come from a large universe (Carter,
// Floyd, Gill, Markowsky and Wegman, "Exact and Approximate Membership
// Testers", 1978). A flat Bloom filter needs 1/ln 2 = 1.44 times as many.
func LowerBoundBits(rate float64) float64 {
	return max(0, -math.Log2(rate))
}

// LowerBoundRate is 2^(−bitsPerKey), the inverse of LowerBoundBits.
func LowerBoundRate(bitsPerKey float64) float64 {
	return math.Exp2(-bitsPerKey)
}
