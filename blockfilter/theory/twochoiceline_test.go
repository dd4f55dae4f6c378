package theory

import "math"

// TwoChoiceLineRate is the false-positive rate of an online filter whose
// choices all fall in the key's one 512-bit line: the law of a line's ones
// after j keys is computed key by key (Lumetta and Mitzenmacher, equation 3.1,
// here with the exact law of the distinct new bits), and the rate
// averaged over the load j of a line, Poisson with mean 512/bitsPerKey. At one
// choice it is LineRate. It is NaN unless bitsPerKey > 0, 1 ≤ k ≤ 16 and
// choices ≥ 1, and 1 below 1/64 bits. It costs about 1 ms at 10 bits.
func TwoChoiceLineRate(bitsPerKey float64, k, choices int) float64 {
	if !(bitsPerKey > 0) || k < 1 || k > MaxLineProbes || choices < 1 {
		return math.NaN()
	}
	if bitsPerKey < minBits {
		return 1
	}
	var grow [lineSize + 1][MaxLineProbes + 1]float64
	var positive [lineSize + 1]float64
	for ones := range grow {
		leastNewBits(grow[ones][:k+1], ones, choices)
		positive[ones] = anyChoice(float64(ones)/lineSize, k, choices)
	}
	var law [lineSize + 1]float64 // of the ones of a line
	law[0] = 1
	rate := func() float64 {
		mean := 0.0
		for ones, probability := range law {
			mean += probability * positive[ones]
		}
		return mean
	}
	addKey := func() {
		for ones := lineSize; ones >= 0; ones-- {
			sum := 0.0
			for added := range min(k, ones) + 1 {
				sum += law[ones-added] * grow[ones-added][added]
			}
			law[ones] = sum
		}
	}
	return poissonAverage(lineSize/bitsPerKey, rate, addKey)
}

// leastNewBits fills p[d] with the probability that the best of several
// choices of len(p)−1 probes adds d ones to a line that has some.
func leastNewBits(p []float64, ones, choices int) {
	clear(p)
	p[0] = 1
	for range len(p) - 1 {
		for d := len(p) - 1; d >= 0; d-- {
			p[d] *= min(1, float64(ones+d)/lineSize)
			if d > 0 {
				p[d] += p[d-1] * max(0, float64(lineSize-ones-d+1)/lineSize)
			}
		}
	}
	tail, above := 0.0, 0.0 // one choice adds ≥ d bits; all choices add > d
	for d := len(p) - 1; d >= 0; d-- {
		tail = min(1, tail+p[d])
		all := power(tail, choices)
		p[d], above = all-above, all
	}
}
