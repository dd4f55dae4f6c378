package theory

import "math"

// TwoChoiceRate is the false-positive rate 1 − (1 − z^k)^c of an online filter
// with the fraction of ones z = TwoChoiceOnes, in the same domain. At one
// choice it is BloomRate.
func TwoChoiceRate(bitsPerKey float64, k, choices int) float64 {
	return anyChoice(TwoChoiceOnes(bitsPerKey, k, choices), k, choices)
}

// anyChoice is the probability that one of several groups of k probes meets
// ones only.
func anyChoice(ones float64, k, choices int) float64 {
	return -math.Expm1(float64(choices) * math.Log1p(-math.Pow(ones, float64(k))))
}

// TwoChoiceProbes is the number of probes k ≥ 1 per choice with the least
// TwoChoiceRate; it is 1 outside the domain of TwoChoiceOnes.
func TwoChoiceProbes(bitsPerKey float64, choices int) int {
	k, _ := bestTwoChoice(bitsPerKey, choices)
	return k
}

// TwoChoiceBits is the least number of bits per key with which an online
// filter, given its best k, reaches the rate: 0 for rates of 1 and more, +Inf
// for rates that maxBits do not reach. It costs a millisecond.
func TwoChoiceBits(rate float64, choices int) float64 {
	return invert(func(bits float64) float64 {
		_, rate := bestTwoChoice(bits, choices)
		return rate
	}, rate)
}

func bestTwoChoice(bitsPerKey float64, choices int) (k int, rate float64) {
	start := BloomProbes(bitsPerKey)
	return descend(start, 1, math.MaxInt, func(k int) float64 {
		return TwoChoiceRate(bitsPerKey, k, choices)
	})
}
