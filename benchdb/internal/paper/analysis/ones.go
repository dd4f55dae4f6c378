package analysis

import (
	"math"
)

// Ones is the mean and the variance of the number of ones in a filter of m
// bits that holds n keys with k probes each (Burns, equations 42 to 45). The
// standard filter of n keys is a classic one of n·k keys with one probe each.
func Ones(f Model, m, n, k int) (mean, variance float64) {
	bits, draws, size := float64(m), float64(n), float64(k)
	if f == Standard {
		draws, size = draws*size, 1
	}
	logZero := draws * math.Log1p(-size/bits)
	zero := math.Exp(logZero) // (1 − k/m)ⁿ
	if zero == 0 {
		return bits, 0
	}
	// Given one zero, that of another bit, and the quotient less 1 without
	// cancellation.
	otherZero := math.Exp(draws * math.Log1p(-size/(bits-1)))
	lost := math.Expm1(draws * math.Log1p(-size/((bits-1)*(bits-size))))
	return -bits * math.Expm1(logZero), bits * zero * (1 - otherZero + bits*zero*lost)
}

// CommonOnes is the mean and the variance of the number of positions that are
// ones in each of several standard filters of m bits and k probes that hold
// disjoint sets of the given numbers of keys: the ones of their bitwise AND
// (Burns, equations 49 and 50; the signs in the printed 50 are lost).
func CommonOnes(m, k int, keys ...int) (mean, variance float64) {
	bits := float64(m)
	one, two := 1.0, 1.0 // all filters have a given bit, two given bits
	for _, n := range keys {
		probes := float64(n) * float64(k)
		zero := math.Pow(1-1/bits, probes)
		one *= 1 - zero
		two *= 1 - 2*zero + math.Pow(1-2/bits, probes)
	}
	mean = bits * one
	return mean, bits*(bits-1)*two + mean - mean*mean
}
