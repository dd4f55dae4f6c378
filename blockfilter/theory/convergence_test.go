package theory

// Convergence is the exact rate − BloomRate(m/n, k), how far a scheme is from
// its limit at n keys. Kirsch and Mitzenmacher prove that it is O(1/n) (Theorem
// 6.2) and give no constant. The domain and the cost are those of exact.
func (s Scheme) Convergence(m, n, k int) float64 {
	return s.exact(m, n, k, 0) - BloomRate(float64(m)/float64(n), k)
}
