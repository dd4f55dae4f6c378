// Package theory holds the formulas by which filters are sized.
//
// A filter of m bits holds n keys and tests k probes for each. It has b = m/n
// bits per key. Its rate is the chance that it says "may contain" to an absent
// key. In a flat array of many keys a bit stays zero with probability e^(−k/b):
//
//	BloomRate = (1 − e^(−k/b))^k,    least near k = b·ln 2: 0.6185^b
//
// When all probes of a key fall in one 512-bit line, some lines hold more keys
// than others. Their load is Poisson, and LineRate is the average over it, as
// DenseRate is where each line is a linear system. No filter has a rate below
// 2^(−b) (LowerBoundRate).
//
// BloomRate is a limit for many keys. Model.Rate is exact for few: for 64 bits
// and 4 keys the limit says k = 11 and 0.0459 %. The best standard filter has k =
// 10 and 0.0615 %, the best classic one k = 9 and 0.0455 %.
//
// Outside its domain a function returns NaN, or what its comment says. All are
// safe for concurrent use.
//
// Sources:
//
//   - J. Burns, "On Occupancy Moments and Bloom Filter Efficiency": exact rates.
//   - A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance: Building a
//     Better Bloom Filter", Random Structures & Algorithms, 2008: the limit.
//   - F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom
//     Filters", WEA 2007: lines.
//   - L. Carter et al., "Exact and Approximate Membership Testers", STOC 1978:
//     the lower bound.
package theory
