// Package blockfilter builds and asks filter blocks: the set of one SSTable's
// keys, in a few bits per key, that answers "absent" or "maybe present".
//
// A block is self-describing, so MayContain needs nothing but its bytes. A
// Policy writes them. The families are sub-packages:
//
//   - bloom: the double-hashed Bloom filter of Kirsch and Mitzenmacher, with
//     all probes of a key in one cache line or spread as in the textbook.
//   - twochoice: Lumetta and Mitzenmacher's filter, which records each key by
//     one of several groups of probes, chosen so that few bits are set. Dense
//     has a quarter of its rate at 10 bits, and builds faster.
//   - dense: each cache line a linear system of the keys in it, with the best
//     rate that one line can have.
//   - ribbon: fingerprints by linear algebra, near the lower bound.
//   - compressed: Mitzenmacher's compressed Bloom filter, asked in place. Ribbon
//     has a third of its rate in the same bytes, and answers faster.
//
// FORMAT.md specifies the bytes; a block written once is read forever.
package blockfilter
