package keyhash

import (
	"iter"
	"math/bits"
)

const (
	// A bucket of some thousand keys sorts in the first-level cache.
	minBucketLines = 64
	// More buckets than this would outnumber the entries of a TLB.
	maxBuckets = 1024
)

// ByLine yields the lines 0 … lines−1, in order, each with the hashes that
// Scale maps to it, in the order of hashes. A yielded slice is valid until the
// next one.
//
// It sorts by counting twice, into buckets of lines and then each bucket by
// line: at a million keys one pass over all lines takes twice as long, for its
// writes go everywhere. It keeps 8 bytes for each of the n keys, and a bucket.
func ByLine(hashes [][]uint64, n, lines int) iter.Seq2[int, []uint64] {
	shift := bits.Len(uint(max(minBucketLines, (lines+maxBuckets-1)/maxBuckets) - 1))
	ends := make([]int, (lines-1)>>shift+1)
	for _, chunk := range hashes {
		for _, h := range chunk {
			ends[int(Scale(h, uint64(lines)))>>shift]++
		}
	}
	largest := startOffsets(ends)
	sorted := make([]uint64, n)
	for _, chunk := range hashes {
		for _, h := range chunk {
			b := int(Scale(h, uint64(lines))) >> shift
			sorted[ends[b]] = h
			ends[b]++
		}
	}
	return func(yield func(int, []uint64) bool) {
		bucket := make([]uint64, largest)
		lineEnds := make([]int, 1<<shift)
		start := 0
		for b, end := range ends {
			first := b << shift
			sortBucket(bucket, lineEnds, sorted[start:end], lines, first)
			start = end
			from := 0
			for i, to := range lineEnds[:min(lines-first, len(lineEnds))] {
				if !yield(first+i, bucket[from:to]) {
					return
				}
				from = to
			}
		}
	}
}

// sortBucket sorts the hashes of a bucket, whose first line is given, into dst
// and leaves the end of each of its lines in ends.
func sortBucket(dst []uint64, ends []int, hashes []uint64, lines, first int) {
	clear(ends)
	for _, h := range hashes {
		ends[int(Scale(h, uint64(lines)))-first]++
	}
	startOffsets(ends)
	for _, h := range hashes {
		i := int(Scale(h, uint64(lines))) - first
		dst[ends[i]] = h
		ends[i]++
	}
}

// startOffsets replaces counts by the sums of those before each, and returns
// the largest count.
func startOffsets(counts []int) (largest int) {
	sum := 0
	for i, n := range counts {
		counts[i] = sum
		sum += n
		largest = max(largest, n)
	}
	return largest
}
