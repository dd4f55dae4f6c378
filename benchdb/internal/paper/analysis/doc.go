// Package analysis has the formulas of the papers that no filter is sized by.
// It is for the parameters of the papers: m ≥ 2 bits, n ≥ 1 keys and 1 ≤ k ≤ m
// probes. Model.Rate is exact, where bloom.Rate is a limit for many keys: for
// 64 bits and 4 keys the limit says k = 11 and 0.0459 %. The best standard
// filter has k = 10 and 0.0615 %, the best classic one k = 9 and 0.0455 %.
//
//   - J. Burns, "On Occupancy Moments and Bloom Filter Efficiency": exact
//     rates, ones, bounds, estimators, efficiency.
//   - A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance: Building a
//     Better Bloom Filter", 2008: schemes of two hashes.
//   - S. Lumetta, M. Mitzenmacher, "Using the Power of Two Choices to Improve
//     Bloom Filters", 2007: the fraction of ones.
//   - M. Mitzenmacher, "Compressed Bloom Filters", 2002: stored sizes.
package analysis
