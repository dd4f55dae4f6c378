package theory

import "math"

// LowerBoundRate is 2^(−bitsPerKey), the least false-positive rate of any
// filter of so many bits per key when keys come from a large universe (Carter
// et al. 1978). A flat Bloom filter needs 1/ln 2 = 1.44 times as many bits for
// it.
func LowerBoundRate(bitsPerKey float64) float64 {
	return math.Exp2(-bitsPerKey)
}
