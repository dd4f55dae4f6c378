package trailer

import (
	"math"
	"slices"
)

// FitBits returns the bits per key, at most want, with which the bits of n
// keys and a trailer stay within maxBytes. Zero maxBytes is no limit.
func FitBits(want float64, n, maxBytes int) float64 {
	if maxBytes <= 0 || n == 0 {
		return want
	}
	return min(want, float64(maxBytes-Size)*8/float64(n))
}

// MaxKeys is more keys than a table has. Blocks that claim more are not judged.
const MaxKeys = 1 << 40

// MinFlatBits keeps the flat filters of tables with few keys from being full.
const MinFlatBits = 64

// FlatBits returns the number of bits of a flat filter for n keys at
// bitsPerKey: rounded up, so that no table gets fewer bits than asked for, but
// within maxBytes (0 is no limit), and at least MinFlatBits.
func FlatBits(n int, bitsPerKey float64, maxBytes int) uint64 {
	m := uint64(math.Ceil(float64(n) * bitsPerKey))
	if maxBytes > 0 {
		m = min(m, uint64(maxBytes-Size)*8)
	}
	return max(m, MinFlatBits)
}

// Grow appends n zero bytes to dst and returns the whole and the new bytes. It
// leaves room for a trailer, so that appending one does not copy the filter.
func Grow(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n+Size)[:len(dst)+n]
	added = whole[len(dst):]
	clear(added)
	return whole, added
}
