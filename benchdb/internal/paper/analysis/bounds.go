package analysis

import (
	"math"
)

// The bounds of Burns, corollary 23 and section 3.2.1, for k ≤ (m−1)/2:
//
//	BoundL ≤ f_C, f_S ≤ BoundU        E ≤ BoundM ≤ f_S
//
// where E is bloom.Rate(m/n, k).

// BoundL is C(μ,k) / C(m,k) with μ the expected ones of the standard filter
// (equation 64, its simpler form); 0 where μ ≤ k−1.
func BoundL(m, n, k int) float64 {
	mean, _ := Ones(Standard, m, n, k)
	bound := mean / float64(m)
	for i := 1; i < k; i++ {
		bound *= max(0, mean-float64(i)) / float64(m-i)
	}
	return bound
}

// BoundM is (1 − (1 − 1/m)^(kn))^k (equation 57), the rate of a filter with
// the expected number of ones.
func BoundM(m, n, k int) float64 { return rateOfMean(Standard, m, n, k) }

// BoundU is (1 − (1 − k/m)ⁿ)^k (equation 65), Bloom's own estimate for the
// classic filter, and the exact rate of a partitioned filter, with k
// independent arrays of m/k bits.
func BoundU(m, n, k int) float64 { return rateOfMean(Classic, m, n, k) }

// rateOfMean is the chance that k probes meet ones only in a filter with the
// expected number of ones.
func rateOfMean(f Model, m, n, k int) float64 {
	mean, _ := Ones(f, m, n, k)
	return math.Pow(mean/float64(m), float64(k))
}
