package analysis

import (
	"math"
)

// BestProbes is the number of probes k with the least exact rate, and that
// rate. It walks downhill from EstimateProbes; that the rate falls and then
// rises over k is observed, not proved (Burns, conjecture 24).
func BestProbes(f Model, m, n int) (k int, rate float64) {
	start := int(math.Round(EstimateProbes(f, float64(m), float64(n))))
	return descend(min(max(start, 1), m), m, func(k int) float64 { return f.Rate(m, n, k) })
}

// EstimateProbes is the usual estimate of the best k: m·ln 2/n for the standard
// filter (Burns, equation 67), m·ln 2/(n + ln 2) for the classic one (77). Both
// are too high for few keys.
func EstimateProbes(f Model, m, n float64) float64 {
	if f == Classic {
		n += math.Ln2
	}
	return m * math.Ln2 / n
}

// descend walks from start to the nearest local minimum of the function over
// 1 … high, and prefers the smaller argument of equal values.
func descend(start, high int, value func(int) float64) (at int, least float64) {
	at, least = start, value(start)
	for at > 1 {
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
