package theory

import "math"

// MostKeys is the largest n with which a filter of m bits, given its best k,
// stays at or below the rate; 0 if a single key exceeds it, and unless m ≥ 2
// and 0 < rate < 1.
func (f Model) MostKeys(m int, rate float64) int {
	if m < 2 || !(rate > 0 && rate < 1) {
		return 0
	}
	return firstTrue(func(n int) bool {
		_, best := f.BestProbes(m, n)
		return best > rate
	}, 1, int(EstimateKeys(float64(m), rate))) - 1
}

// FewestBits is the least m with which a filter of n keys, given its best k,
// stays at or below the rate; 0 unless n ≥ 1 and 0 < rate < 1.
func (f Model) FewestBits(n int, rate float64) int {
	if n < 1 || !(rate > 0 && rate < 1) {
		return 0
	}
	return firstTrue(func(m int) bool {
		_, best := f.BestProbes(m, n)
		return best <= rate
	}, 2, int(EstimateBits(float64(n), rate)))
}

// EstimateKeys is the usual estimate of MostKeys for either filter,
// m·ln 2/log2(1/rate) (Burns, equation 68).
func EstimateKeys(m, rate float64) float64 {
	return -m * math.Ln2 / math.Log2(rate)
}

// EstimateBits is the usual estimate of FewestBits for either filter,
// n·log2(1/rate)/ln 2 (Burns, equation 68).
func EstimateBits(n, rate float64) float64 {
	return -n * math.Log2(rate) / math.Ln2
}

// firstTrue is the least argument from low on at which a predicate that is
// false and then true for ever becomes true. It gallops from the guess, near
// which a test should be cheap, so that far arguments are never tried.
func firstTrue(predicate func(int) bool, low, guess int) int {
	below, at := low-1, max(low, guess) // the answer is in (below, at] at last
	if predicate(at) {
		for step := 1; at-step > below; step *= 2 {
			if !predicate(at - step) {
				below = at - step
				break
			}
			at -= step
		}
	} else {
		for step := 1; ; step *= 2 {
			below, at = at, at+step
			if predicate(at) {
				break
			}
		}
	}
	for below+1 < at {
		middle := below + (at-below)/2
		if predicate(middle) {
			at = middle
		} else {
			below = middle
		}
	}
	return at
}
