// Package blockfilter builds and asks filter blocks: the set of one SSTable's
// keys, in a few bits per key, that answers "absent" or "maybe present".
//
// A block is self-describing, so MayContain needs nothing but its bytes. A
// Policy writes it. Each family has a package of its own:
//
//   - bloom: a Bloom filter whose probes of a key lie in one cache line.
//   - twochoice: one that records a key by one of two groups of probes. Dense has
//     a quarter of its rate at 10 bits per key, and builds faster.
//   - dense: each cache line a linear system, with the best rate of one line.
//   - ribbon: one linear system of all keys, near the lower bound in size.
//   - compressed: a sparse Bloom filter, entropy-coded and asked in place. Ribbon
//     has a third of its rate in the same bytes, and answers faster.
//
// FORMAT.md specifies the bytes; a block written once is read forever.
package blockfilter
