// Package bloom implements double-hashed Bloom filters (Kirsch and
// Mitzenmacher, "Less Hashing, Same Performance: Building a Better Bloom
// Filter", 2008) in two layouts.
//
// The line layout keeps the k probes of a key in one cache line. It is the one
// to use: a lookup costs one cache miss instead of k. Because lines fill
// unevenly it lets more absent keys through than the flat layout, and its best
// k is smaller:
//
//	bits per key       8       10       12       16       20
//	line          2.33 %   0.97 %   0.41 %  0.084 %  0.020 %
//	  k                5        6        8        9       11
//	flat          2.16 %   0.82 %   0.31 %  0.046 % 0.0067 %
//	  k                6        7        8       11       14
//
// (Config.ExpectedRate; TestRates holds filters to it.) The flat layout is the
// papers' setting, with a scheme for each way of deriving probes that they
// compare.
package bloom
