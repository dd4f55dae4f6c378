// Package ribbon is a filter near the lower bound of log2(1/ε) bits per key for
// a false-positive rate ε, where a Bloom filter takes 1.44 times that.
//
// A filter is a table of slots. Each key's fingerprint is the XOR of about
// half of 64 neighbours, which the key's hash selects. What the slots must
// hold is a linear system over GF(2). Each of its rows has all its ones within
// those 64 slots, a ribbon, so elimination takes linear time. Keys that find no
// room in their part of the table are bumped to a second, smaller layer of
// slots, and from there to a last one. This is bumped ribbon retrieval, BuRR
// (Dillinger, Hübschle-Schneider, Sanders, Walzer, Fast Succinct Retrieval and
// Approximate Membership using Ribbon, SEA 2022).
//
// It suits most levels: for the 1.16 % of false positives that Pebble's Bloom
// filter has at 10 bits per key it takes 6.5 to 6.6. The price is the build: 37
// ns for each key of a table of 10,000, where Pebble's takes 12, both with the
// key's hash, and up to 22 bytes of scratch for each key meanwhile. Without
// AVX-512 it takes 56. README.md has the time of queries, the size of blocks, and
// what was tried.
package ribbon
