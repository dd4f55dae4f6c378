// Package compressed implements compressed Bloom filters that are queried while
// they stay compressed.
//
// Mitzenmacher (Compressed Bloom Filters, 2002) fixed the stored size z of a
// filter instead of its array's: a larger array with fewer probes has a lower
// false-positive rate once it is entropy-coded. His filters are unpacked before
// they are asked. These are not: the array is a compress.Sparse, in which a
// query counts the bits of one line. The length of that line bounds its work,
// not the size of the array. So the best filter is the sparsest: one probe in
// an array of 92 slots per key at z = 8.18, where two probes would let 2.2
// times as many absent keys through.
//
//	bits per key   4       5       6       8       10      12       16
//	stored         4.18    5.18    6.18    8.18    10.18   12.18    16.18
//	rate, percent  14.4    7.90    4.12    1.08    0.274   0.0688   0.0043
//
// TestRates holds filters to these rates. A table of some thousand keys takes
// 0.1 to 0.3 bits per key more, as its lines are whole. A block is no smaller
// than 96 bytes.
//
// Package ribbon beats it: in as many bytes it lets a third as many absent keys
// through, it answers in half of the time, and takes 15 to 36 % longer to
// build. README.md has the figures, and what is left for this family.
package compressed
