// Package compress stores sparse bit arrays in close to their entropy.
//
// An array of m bits of which a share p is set holds m·H(p) bits of
// information, H(p) = -p·log2(p) - (1-p)·log2(1-p). The package has two halves,
// which share only that bound:
//
//   - A [Sparse] array, written by [SparseWriter], answers questions while it
//     stays packed. A question reads one short line, in about 40 ns. The array
//     takes 0.2 to 0.3 bits per set slot more than the entropy. Filters of family
//     compressed are such arrays.
//   - A [Codec] packs a whole array for archiving or shipping, as
//     blockfilter.Archive does. [Arithmetic] reaches the entropy within 0.1 %;
//     [Snappy] is the byte-oriented baseline. The array has to be unpacked before
//     it can be read.
//
// For a fixed stored size a larger and sparser array with fewer probes has the
// lower false-positive rate once it is entropy-coded (Mitzenmacher, Compressed
// Bloom Filters, 2002).
package compress
