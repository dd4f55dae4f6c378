package theory

import "math"

// invert finds the least bits per key, up to maxBits, at which the decreasing
// function reaches the target, to 1e-6 bits: 0 for targets of 1 and more, +Inf
// if maxBits do not reach it.
func invert(rate func(bits float64) float64, target float64) float64 {
	if target >= 1 {
		return 0
	}
	if !(target > 0) || rate(maxBits) > target {
		return math.Inf(1)
	}
	low, high := 0.0, float64(maxBits)
	for high-low > 1e-6 {
		middle := low + (high-low)/2
		if rate(middle) <= target {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
