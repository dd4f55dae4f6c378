package datablock

import (
	"encoding/binary"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

const (
	// headerSize is the length of the header in bytes: 4 bits of the number of
	// columns less one, 7 of the key hash's seed, 5 of the attempt.
	headerSize = 2
	maxColumns = 1 << 4
	seeds      = 1 << 7
	attempts   = 1 << 5

	// width is the most slots that a row selects from.
	width = 64
)

// Odd multipliers: the fractional parts of the golden ratio, √2 and √3.
const (
	rowMultiplier         = 0x9e3779b97f4a7c15
	fingerprintMultiplier = 0x6a09e667f3bcc909
	attemptMultiplier     = 0xbb67ae8584caa73b
)

// layout is the shape of a filter: columns of slots bits each, one after
// another behind the header.
type layout struct {
	columns, slots uint64
	seed, attempt  uint64
}

// layoutOf returns the layout of a filter of some bytes that has this many
// columns: it has as many slots as fit.
func layoutOf(size int, columns uint64) layout {
	return layout{columns: columns, slots: uint64(size-headerSize) * 8 / columns}
}

// parse reports false for bytes that are no filter.
func parse(filter []byte) (l layout, ok bool) {
	if len(filter) <= headerSize {
		return l, false
	}
	header := uint64(binary.LittleEndian.Uint16(filter))
	l = layoutOf(len(filter), 1+header%maxColumns)
	l.seed, l.attempt = header>>4%seeds, header>>11
	return l, l.slots > 0
}

// header is the inverse of parse.
func (l layout) header() uint16 {
	return uint16(l.columns - 1 | l.seed<<4 | l.attempt<<11)
}

// equation is a key's: the slots from slot on that row selects XOR to value, of
// which the low bits count, one for each column.
type equation struct {
	slot, row uint64
	value     uint16
}

// equation returns that of the key of hash h.
func (l layout) equation(h uint64) equation {
	x := (h ^ l.attempt*attemptMultiplier) * rowMultiplier
	x ^= x >> 32
	e := equation{row: x*rowMultiplier | 1, value: uint16(x * fingerprintMultiplier >> 48)}
	if l.slots > width {
		e.slot = keyhash.Scale(x, l.slots-width+1)
	} else {
		e.row &= 1<<l.slots - 1
	}
	return e
}

// offset returns the bit at which a column has a slot.
func (l layout) offset(column, slot uint64) uint64 {
	return headerSize*8 + column*l.slots + slot
}

// load returns the 64 bits of b from bit i on. Those behind the end of b may
// be anything. The bits of b up to i must be fewer than len(b)·8.
func load(b []byte, i uint64) uint64 {
	at, shift := i/8, i%8
	if at+9 <= uint64(len(b)) {
		p := (*[9]byte)(b[at:])
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

// or sets the bits of word in b from bit i on. It needs 9 bytes there.
func or(b []byte, i, word uint64) {
	p, shift := (*[9]byte)(b[i/8:]), i%8
	binary.LittleEndian.PutUint64(p[:], binary.LittleEndian.Uint64(p[:])|word<<shift)
	p[8] |= byte(word >> (64 - shift))
}

func parity(x uint64) uint64 { return uint64(bits.OnesCount64(x)) & 1 }
