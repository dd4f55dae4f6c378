package gf2

import (
	"encoding/binary"
	"math/bits"
)

// Row has the coefficients of a row for 128 neighbouring slots, low bits first.
type Row struct{ Lo, Hi uint64 }

// First returns the row's coefficients of the first n slots.
func (r Row) First(n uint) Row {
	if n < 64 {
		return Row{Lo: r.Lo & (1<<n - 1)}
	}
	return Row{Lo: r.Lo, Hi: r.Hi & (1<<(n-64) - 1)}
}

// Top returns the highest slot with a coefficient, −1 for none.
func (r Row) Top() int {
	if r.Hi != 0 {
		return 63 + bits.Len64(r.Hi)
	}
	return bits.Len64(r.Lo) - 1
}

// Dot returns the sum of the coefficients that the other row selects.
func (r Row) Dot(other Row) uint64 { return Parity(r.Lo&other.Lo ^ r.Hi&other.Hi) }

// With returns the row with another coefficient, where it has none.
func (r Row) With(slot int, coefficient uint64) Row {
	if slot < 64 {
		return Row{Lo: r.Lo | coefficient<<slot, Hi: r.Hi}
	}
	return Row{Lo: r.Lo, Hi: r.Hi | coefficient<<(slot-64)}
}

// Parity returns the sum over GF(2) of a word's bits.
func Parity(x uint64) uint64 { return uint64(bits.OnesCount64(x)) & 1 }

// Pad is how many bytes after its last bit Or needs.
const Pad = 8

// Or sets the bits of word in b from bit i on.
func Or(b []byte, i int, word uint64) {
	p, shift := (*[1 + Pad]byte)(b[i/8:]), i%8
	binary.LittleEndian.PutUint64(p[:], binary.LittleEndian.Uint64(p[:])|word<<shift)
	p[8] |= byte(word >> (64 - shift))
}

// Load returns the 64 bits of b from bit i on, zeros after the end of b. Bit i
// is within b.
func Load(b []byte, i uint64) uint64 {
	at, shift := i/8, i%8
	if at+1+Pad <= uint64(len(b)) {
		p := (*[1 + Pad]byte)(b[at:])
		return binary.LittleEndian.Uint64(p[:])>>shift | uint64(p[8])<<(64-shift)
	}
	if len(b) >= 8 {
		last := uint64(len(b) - 8)
		return binary.LittleEndian.Uint64(b[last:]) >> (i - 8*last)
	}
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:]) >> i
}
