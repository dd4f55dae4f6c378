package analysis

import (
	"math"
)

// Efficiency is n/m·log2(1/rate) (Burns, section 4): the share of a filter's
// m bits that the lower bound for its rate would need, between 0 and 1.
func Efficiency(m, n, rate float64) float64 {
	return -n / m * math.Log2(rate)
}

// PeakEfficiency is the number of keys at which a filter of m bits and k
// probes is most efficient, by the exact rate, and that efficiency. It peaks
// near m·ln 2/k keys in a standard filter and (m/k − 1)·ln 2 in a classic one
// (Burns, section 4.1 and equation 76).
func PeakEfficiency(f Model, m, k int) (n int, efficiency float64) {
	estimate := float64(m) * math.Ln2 / float64(k)
	if f == Classic {
		estimate -= math.Ln2
	}
	start := max(1, int(math.Round(estimate)))
	n, least := descend(start, math.MaxInt, func(n int) float64 {
		return -Efficiency(float64(m), float64(n), f.Rate(m, n, k))
	})
	return n, -least
}

// MaxEfficiency is the largest efficiency of any filter of m bits over n and k.
// The standard filter has it at k = 1 and a real number n = 1/log2(m/(m−1)) of
// keys (Burns, equation 74), and never more than ln 2; the classic filter has
// it, by conjecture, at n = 1 and k = m/2 (equation 75), and approaches 1.
func MaxEfficiency(f Model, m int) float64 {
	bits := float64(m)
	if f == Classic {
		return log2Binomial(m, m/2) / bits
	}
	return -math.Ln2 / (bits * math.Log1p(-1/bits))
}

func log2Binomial(m, k int) float64 {
	factorial := func(n int) float64 {
		value, _ := math.Lgamma(float64(n + 1))
		return value
	}
	return (factorial(m) - factorial(k) - factorial(m-k)) / math.Ln2
}
