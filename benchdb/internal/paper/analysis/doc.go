// Package analysis has the formulas of the papers for filters of all sizes, as
// far as package theory has no use for them. It is for the parameters of the
// papers: m ≥ 2 bits, n ≥ 1 keys and 1 ≤ k ≤ m probes.
//
//   - J. Burns, "On Occupancy Moments and Bloom Filter Efficiency": ones,
//     bounds, estimators, efficiency.
//   - A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance: Building a
//     Better Bloom Filter", 2008: schemes of two hashes.
//   - S. Lumetta, M. Mitzenmacher, "Using the Power of Two Choices to Improve
//     Bloom Filters", 2007: the fraction of ones.
//   - M. Mitzenmacher, "Compressed Bloom Filters", 2002: stored sizes.
package analysis
