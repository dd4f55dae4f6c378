// Package compressed implements compressed Bloom filters that are queried while
// they stay compressed.
//
// Mitzenmacher (Compressed Bloom Filters, 2002) fixed the stored size z of a
// filter instead of its array's: a larger array with fewer probes has a lower
// false-positive rate once it is entropy-coded. His filters are unpacked before
// they are asked. These are not: the array is a [compress.Sparse], in which a
// question counts the bits of one line. The length of that line bounds its
// work, not the size of the array, so the best filter is the sparsest: one
// probe in an array of 91 slots per key at z = 8. (Two probes would let 2.4
// times as many absent keys through there.)
//
//	bits per key     4        5        6        8        10       12        16
//	stored           4.18     5.18     6.18     8.18     10.18    12.18     16.18
//	rate             14.4 %   7.90 %   4.12 %   1.08 %   0.274 %  0.0688 %  0.0043 %
//
// (Config.ExpectedRate; TestRates holds filters to it.) A table of some thousand keys
// takes 0.1 to 0.3 bits per key more, for its lines are whole, and a block is
// no smaller than 96 bytes.
//
// # When to choose it
//
// Few tables gain from it. It is smaller than the Bloom families and fast to build, but ribbon
// is smaller and answers faster. What a rate takes in bits per key:
//
//	rate         bloom    twochoice   compressed   ribbon
//	5 %           6.3      5.8         5.8          4.4
//	1 %           9.9      9.1         8.3          6.7
//	0.1 %        15.6     14.2        11.6         10.0
//	0.01 %       22.0     20.0        14.9         13.4
//
// Filters that are read from disk cost these bytes there too. Nanoseconds at 8
// (16) bits per key, a million hashed keys, on one core of a 2.3 GHz Xeon
// shared with other work, the least of 25 rounds in turns:
//
//	             bloom    twochoice   compressed   ribbon
//	build a key   5 (10)  74 (84)     31 (32)      92 (102)
//	ask, absent   7 (9)   20 (28)     38 (42)      21 (32)
//	ask, present  7 (9)    9 (15)     46 (51)      16 (21)
//
// (go test -bench Families -benchtime 25x ./blockfilter/compressed)
//
// So it is right where a table wants fewer false positives than a Bloom filter
// of its size gives and cannot spend the time of twochoice's or ribbon's build,
// two and three times as long, or ribbon's scratch memory, 22 bytes a key
// against 5 here: tables that are written often and read a few times. Below 5
// bits per key it gains nothing over a Bloom filter. The whole-array coder of
// package compress packs the same array into 0.25 bits per key less, but that
// answers no question.
package compressed
