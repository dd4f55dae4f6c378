// Package ribbon is a filter near the lower bound of log2(1/ε) bits per key for
// a false-positive rate ε, where a Bloom filter takes 1.44 times that.
//
// Each key's fingerprint is the XOR of a few neighbouring cells of a table that
// the key's hash selects. Which cells must hold what is a linear system over
// GF(2); its rows have their ones in 64 neighbouring columns, a ribbon, so that
// elimination takes linear time. Keys that find no room in their part of the
// table are bumped to a second, smaller layer, and from there to a last one:
// bumped ribbon retrieval, BuRR (Dillinger, Hübschle-Schneider, Sanders, Walzer,
// Fast Succinct Retrieval and Approximate Membership using Ribbon, SEA 2022).
// The table alone is the type Retrieval: a map without its keys.
//
// # When to choose it
//
// For large, cold levels, where most bytes of filters are: for the 1.16 % of
// false positives that Pebble's Bloom filter has at 10 bits per key it takes
// 6.6. The price is the build: 92 ns for each key of a million, up to 120 below
// 65,000 keys, where Pebble's takes 19 with its hash; and 22 bytes of scratch for
// each key meanwhile. So not for tables that live for seconds.
//
// Time of a query as a multiple of that of Pebble's Bloom filter at 10 bits per
// key, on an Intel Xeon (Sapphire Rapids), by BenchmarkMayContain:
//
//	               AVX-512              pure Go
//	               4     8     10       4     8     10
//	cached absent  0.74  0.66  0.67     0.83  0.84  0.84
//	       present 1.03  0.97  1.11     1.16  1.51  1.88
//	cold   absent  1.16  1.17  1.28     1.16  1.37  1.41
//	       present 0.84  0.85  0.98     0.92  1.38  1.56
//
// Cold, it reads a line for the threshold and two to four neighbouring ones for
// the columns where a Bloom filter reads one.
//
// # Size
//
// Bits per key of a block, its trailer included, as a multiple of log2(1/ε),
// by the number of keys and Config.BitsPerKey:
//
//	           4      7      8      10     4.5    7.5
//	100        1.680  1.406  1.360  1.296  1.613  1.381
//	1,000      1.081  1.051  1.047  1.040  1.092  1.060
//	10,000     1.013  1.008  1.008  1.007  1.032  1.020
//	100,000    1.006  1.004  1.004  1.003  1.025  1.015
//	1,000,000  1.005  1.003  1.003  1.003  1.024  1.015
//
// BenchmarkBuild reports the bits per key. Between whole numbers of bits, some
// keys have fingerprints of one bit more. This mix costs up to 0.086 bits more
// than log2(1/ε): 1.9 % at 4.5 bits, 1.1 % at 7.5. Small tables need no other
// family: from eight keys on no Bloom filter of the same rate is smaller by more
// than the rounding to eight slots.
//
// # Choices
//
// Rows of 128 coefficients in place of 64, with buckets of 512 slots, would take
// 0.06 % above the bound at 8 bits per key where these take 0.25 % (simulated,
// first layer only), and a query three blocks in place of two.
//
// The homogeneous variant, a table of all zero sums without bumping, builds in
// 50 to 67 ns where this one takes 80 to 120, but needs 10 % more slots than
// keys: with 5 % the rate is 4 times too high at 100,000 keys, with 7 % twice
// too high at a million. Where build time counts more than 10 % of space, package
// bloom builds in 4 ns; so the variant is left out.
package ribbon
