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

// descend walks from start to the nearest local minimum of the function over
// low … high, and prefers the smaller argument of equal values.
func descend(start, low, high int, value func(int) float64) (at int, least float64) {
	at, least = start, value(start)
	for at > low {
		next := value(at - 1)
		if next > least {
			break
		}
		at, least = at-1, next
	}
	if at < start {
		return at, least
	}
	for at < high {
		next := value(at + 1)
		if next >= least {
			break
		}
		at, least = at+1, next
	}
	return at, least
}
