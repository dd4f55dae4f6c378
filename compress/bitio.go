package compress

import (
	"encoding/binary"
	"math/bits"
)

// loadBits returns the bits of b from bit position at on, the lowest first: 57
// of them at least, those past b's end as zeros.
func loadBits(b []byte, at uint64) uint64 {
	if i := at >> 3; i+8 <= uint64(len(b)) {
		return binary.LittleEndian.Uint64(b[i:]) >> (at & 7)
	}
	return loadLastBits(b, at)
}

func loadLastBits(b []byte, at uint64) (word uint64) {
	for i := uint64(len(b)); i > at>>3; i-- {
		word = word<<8 | uint64(b[i-1])
	}
	return word >> (at & 7)
}

// countBits returns the number of set bits among the n from bit position at on.
func countBits(b []byte, at, n uint64) (ones uint64) {
	for ; n > 56; n -= 56 {
		ones += uint64(bits.OnesCount64(loadBits(b, at) & (1<<56 - 1)))
		at += 56
	}
	return ones + uint64(bits.OnesCount64(loadBits(b, at)&(1<<n-1)))
}

// bitWriter appends bits to buf, the lowest first.
type bitWriter struct {
	buf  []byte
	last uint64 // bits not yet in buf
	fill uint   // how many, < 64
}

// write appends the n <= 64 lowest bits of v, whose other bits are zero.
func (w *bitWriter) write(v uint64, n uint) {
	w.last |= v << w.fill
	w.fill += n
	if w.fill >= 64 {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, w.last)
		w.fill -= 64
		w.last = v >> (n - w.fill)
	}
}

// writeBits appends the first n bits of b.
func (w *bitWriter) writeBits(b []byte, n uint64) {
	for at := uint64(0); at < n; at += 56 {
		take := min(n-at, 56)
		w.write(loadBits(b, at)&(1<<take-1), uint(take))
	}
}

// writeZeros appends n zeros.
func (w *bitWriter) writeZeros(n uint64) {
	for ; n > 0; n -= min(n, 64) {
		w.write(0, uint(min(n, 64)))
	}
}

// flush ends the last byte with zeros.
func (w *bitWriter) flush() {
	for ; w.fill > 0; w.fill -= min(w.fill, 8) {
		w.buf = append(w.buf, byte(w.last))
		w.last >>= 8
	}
}
