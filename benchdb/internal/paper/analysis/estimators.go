package analysis

import (
	"math"
)

// Keys estimates how many keys a filter of m bits and k probes holds from the
// number of its ones: the moment and maximum-likelihood estimator
// ln(1 − ones/m) / ln(1 − k/m) (Burns, equation 46; the standard filter is the
// case of n·k keys with one probe). A full filter gives +Inf.
//
// With Ones for the variance, its standard deviation is √variance divided by
// the ones that one more key adds: at half ones and k = 7, about
// 0.08·√m of 0.1·m keys.
func Keys(f Model, m, k int, ones float64) float64 {
	logMiss := math.Log1p(-float64(k) / float64(m))
	if f == Standard {
		logMiss = float64(k) * math.Log1p(-1/float64(m))
	}
	return math.Log1p(-ones/float64(m)) / logMiss
}

// Overlap estimates the number of distinct keys in the union of the sets of
// two standard filters of one geometry and one hash function, and the number of
// keys that both sets hold, from the ones of each filter and of their bitwise
// AND. The OR of two such filters is the filter of the union (Burns, section
// 3.1), with first + second − common ones; the intersection follows by inclusion
// and exclusion. The AND itself is not the filter of the intersection:
// CommonOnes tells how many ones disjoint sets leave in it.
func Overlap(m, k int, first, second, common float64) (union, intersection float64) {
	keys := func(ones float64) float64 { return Keys(Standard, m, k, ones) }
	union = keys(first + second - common)
	return union, keys(first) + keys(second) - union
}
