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

// EstimateProbes is the usual estimate of the best k: m·ln 2/n for the standard
// filter (Burns, equation 67), m·ln 2/(n + ln 2) for the classic one (77). Both
// are too high for few keys.
func (f Model) EstimateProbes(m, n float64) float64 {
	if f == Classic {
		return m * math.Ln2 / (n + math.Ln2)
	}
	return m * math.Ln2 / n
}
