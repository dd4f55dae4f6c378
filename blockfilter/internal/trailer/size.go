package trailer

import "slices"

// FitBits returns the bits per key, at most want, with which the bits of n
// keys and a trailer stay within maxBytes. Zero maxBytes is no limit.
func FitBits(want float64, n, maxBytes int) float64 {
	if maxBytes <= 0 || n == 0 {
		return want
	}
	return min(want, float64(maxBytes-Size)*8/float64(n))
}

// Grow appends n zero bytes to dst and returns the whole and the new bytes. It
// leaves room for a trailer, so that appending one does not copy the filter.
func Grow(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n+Size)[:len(dst)+n]
	added = whole[len(dst):]
	clear(added)
	return whole, added
}
