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

// MinFlatBits keeps the flat filters of tables with few keys from being full.
const MinFlatBits = 64

// FitFlat returns the number of bits and bytes of a flat filter for n keys at
// bitsPerKey: rounded up, so that no table gets fewer bits than asked for, but
// within maxBytes (0 is no limit), and at least MinFlatBits.
func FitFlat(n int, bitsPerKey float64, maxBytes int) (bits uint64, bytes int) {
	bits = uint64(math.Ceil(float64(n) * bitsPerKey))
	if maxBytes > 0 {
		bits = min(bits, uint64(max(maxBytes-Size, 0))*8)
	}
	bits = max(bits, MinFlatBits)
	return bits, int((bits + 7) / 8)
}

// FitsFlat reports whether filter has the bytes of that many bits, one or more.
func FitsFlat(filter []byte, bits uint64) bool {
	return bits > 0 && bits <= uint64(len(filter))*8 && len(filter) == int((bits+7)/8)
}

// FitsLines reports whether lines are as many lines of 64 bytes, one or more.
func FitsLines(lines []byte, count uint64) bool {
	return count-1 < 1<<56 && count*64 == uint64(len(lines)) // no overflow
}

// Grow appends n zero bytes to dst and returns the whole and the new bytes. It
// leaves room for a trailer, so that appending one does not copy the filter.
func Grow(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n+Size)[:len(dst)+n]
	added = whole[len(dst):]
	clear(added)
	return whole, added
}

// Wrote reports whether a block has the shape for as many keys as it has.
func Wrote(block []byte, shapeFor func(n int) Shape) bool {
	body, v, ok := Split(block)
	return ok && Shape{v.Family(), v.Params(), v.Geometry(), len(body)} == shapeFor(int(v.Keys()))
}
