// Package theory holds the formulas by which filters are sized. README.md has
// their sources.
//
// A filter of m bits holds n keys and tests k probes for each. It has b = m/n
// bits per key. Its rate is the chance that it says "may contain" to an absent
// key. In a flat array of many keys a bit stays zero with probability e^(−k/b):
//
//	BloomRate = (1 − e^(−k/b))^k,    least near k = b·ln 2: 0.6185^b
//
// When all probes of a key fall in one 512-bit line, some lines hold more keys
// than others. Their load is Poisson, and LineRate is the average over it. With
// several choices for a key fewer bits are set (TwoChoiceOnes). A sparse array
// stored at its entropy beats a flat one of that size (StoredBits). No filter
// has a rate below 2^(−b) (LowerBoundRate). Models are exact for small filters.
//
// Outside its domain a function returns NaN, or what its comment says. All are
// safe for concurrent use.
package theory
