package theory

// Convergence is Rate − BloomRate(m/n, k), how far a scheme is from its limit at
// n keys. Kirsch and Mitzenmacher prove that it is O(1/n) (Theorem 6.2) and
// give no constant. The domain and the cost are those of Rate.
func (s Scheme) Convergence(m, n, k int) float64 {
	return s.Rate(m, n, k) - BloomRate(float64(m)/float64(n), k)
}
