// Package theory holds the formulas by which filters are sized. Functions name
// their source, domain and notable costs; outside its domain a function returns
// NaN, or what its comment says. All are safe for concurrent use.
//
// # Sizing a filter
//
// A filter of m bits holds n keys and tests k probes for each; b = m/n are its
// bits per key, and its false-positive rate (FPR) is the chance that it says
// "may contain" to an absent key. In a flat array of many keys a bit stays zero with probability e^(−k/b), so
//
//	BloomRate = (1 − e^(−k/b))^k,    least near k = b·ln 2: 0.6185^b
//
// ([BloomRate], [BloomProbes], [BloomBits]). When all probes of a key fall in one
// 512-bit line, some lines hold more keys than others; the load is Poisson and
// the rate is the average ([LineRate], [LineProbes], [LineBits]). With
// several choices for a key, fewer bits are set but an absent key has several
// chances ([TwoChoiceOnes] has z):
//
//	dz/dt = E[min(B₁ … B_c)]/b,  FPR = 1 − (1 − z(1)^k)^c
//
// A sparse array that is stored at its entropy, b·H(e^(−k/b)) bits per key, beats
// a flat one of that size ([StoredBits]). No filter needs fewer than
// log2(1/FPR) bits per key ([LowerBoundRate]).
//
// # Small filters
//
// BloomRate is a limit. For m bits and n keys, [Model.Rate] is exact: for
// [Standard] filters, whose k positions may coincide, and for [Classic] ones,
// whose positions differ. With X ones in the filter,
//
//	f_S = E[(X/m)^k]        f_C = E[C(X,k)] / C(m,k)
//
// [Model.Exact] computes the same by the published sums, and [BoundL], [BoundM]
// and [BoundU] enclose it. For 64 bits and 4 keys the limit says k = 11 and
// 0.0459 %; the best standard filter has k = 10 and 0.0615 %, the best classic
// one k = 9 and 0.0455 %. [Model.BestProbes] searches by the exact rate,
// [Model.EstimateProbes] is the usual estimate, and [Efficiency] relates a filter
// to the lower bound.
//
// # Looking into a filter
//
// [Model.Ones] is the mean and variance of the ones, [Model.Keys] estimates the
// keys from them, and [Model.Overlap] the keys that two filters of one
// geometry share. [Scheme.Rate] is the exact rate of filters that derive all
// probes from two hashes, and [Scheme.FilterRate] the rate of the filters that package bloom builds so.
//
// # Sources
//
//   - J. Burns, "On Occupancy Moments and Bloom Filter Efficiency": exact rates,
//     bounds, estimators, efficiency.
//   - A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance: Building a
//     Better Bloom Filter", Random Structures & Algorithms, 2008: two hashes.
//   - S. Lumetta, M. Mitzenmacher, "Using the Power of Two Choices to Improve
//     Bloom Filters", Internet Mathematics, 2007: choices.
//   - M. Mitzenmacher, "Compressed Bloom Filters", IEEE/ACM Transactions on
//     Networking, 2002.
//   - F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom
//     Filters", WEA 2007: lines.
//   - L. Carter et al., "Exact and Approximate Membership Testers", STOC 1978:
//     the lower bound.
package theory
