package theory

import "math"

// BestProbes is the number of probes k with the least Rate, and that rate. It
// walks downhill from EstimateProbes; that the rate falls and then rises over
// k is observed, not proved (Burns, conjecture 24). It is 0 and NaN unless
// m ≥ 2 and n ≥ 1.
func (f Model) BestProbes(m, n int) (k int, rate float64) {
	if !valid(m, n, 1) {
		return 0, math.NaN()
	}
	start := int(math.Round(f.EstimateProbes(float64(m), float64(n))))
	return descend(min(max(start, 1), m), 1, m, func(k int) float64 { return f.Rate(m, n, k) })
}

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

// EstimateProbes is the usual estimate of the best k: m·ln 2/n for the standard
// filter (Burns, equation 67), m·ln 2/(n + ln 2) for the classic one (77). Both
// are too high for few keys.
func (f Model) EstimateProbes(m, n float64) float64 {
	if f == Classic {
		return m * math.Ln2 / (n + math.Ln2)
	}
	return m * math.Ln2 / n
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
