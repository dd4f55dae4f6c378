package theory

import "math"

// Keys estimates how many keys a filter of m bits and k probes holds from the
// number of its ones: the moment and maximum-likelihood estimator
// ln(1 − ones/m) / ln(1 − k/m) (Burns, equation 46; the standard filter is the
// case of n·k keys with one probe). A full filter gives +Inf. It is NaN unless
// 0 ≤ ones ≤ m and k is in the domain of Rate.
//
// With Ones for the variance, its standard deviation is √variance divided by
// the ones that one more key adds: at half ones and k = 7, about
// 0.08·√m of 0.1·m keys.
func (f Model) Keys(m, k int, ones float64) float64 {
	if !valid(m, 1, k) || !(ones >= 0 && ones <= float64(m)) {
		return math.NaN()
	}
	logMiss := math.Log1p(-float64(k) / float64(m))
	if f == Standard {
		logMiss = float64(k) * math.Log1p(-1/float64(m))
	}
	return math.Log1p(-ones/float64(m)) / logMiss
}

// Overlap estimates the number of distinct keys in the union of the sets of
// two filters of one geometry and one hash function, and the number of keys
// that both sets hold, from the ones of each filter and of their bitwise AND.
// The OR of two such filters is the filter of the union (Burns, section 3.1),
// with first + second − common ones; the intersection follows by inclusion and
// exclusion. The AND itself is not the filter of the intersection: CommonOnes
// tells how many ones disjoint sets leave in it.
func (f Model) Overlap(m, k int, first, second, common float64) (union, intersection float64) {
	union = f.Keys(m, k, first+second-common)
	return union, f.Keys(m, k, first) + f.Keys(m, k, second) - union
}
