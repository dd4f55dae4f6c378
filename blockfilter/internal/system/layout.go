// Package system implements filters that are one linear system over GF(2): a
// header and the columns of the system's solution. FORMAT.md specifies them under
// "One system".
package system

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

const (
	// headerSize is the length of the header in bytes: 4 bits of the number of
	// columns less one, 7 of the key hash's seed, 5 of the attempt.
	headerSize = 2
	attempts   = 1 << 5

	// MaxColumns bounds the bits of a fingerprint.
	MaxColumns = 1 << 4
	// Seeds is the number of seeds that a header has room for.
	Seeds = 1 << 7

	// width is the most slots that a row selects from.
	width = 64
)

// Layout is the shape of a filter, whose columns of slots bits each follow one
// another after the header.
type Layout struct {
	Columns uint64 // the bits of a fingerprint
	Slots   uint64
	Seed    uint64 // of the key hash, below Seeds
	attempt uint64
}

// LayoutOf returns the layout of a filter of size bytes that has this many
// columns: it has as many slots as fit.
func LayoutOf(size, columns int, seed uint64) Layout {
	return Layout{Columns: uint64(columns), Slots: uint64(max(0, size-headerSize) * 8 / columns), Seed: seed}
}

// Bytes returns the least size of a filter of layout l.
func (l Layout) Bytes() int { return headerSize + int(l.Slots*l.Columns+7)/8 }

// mask has a bit for each column.
func (l Layout) mask() uint32 { return 1<<l.Columns - 1 }

// Parse reads the layout of a filter. It reports false for bytes that are none.
func Parse(filter []byte) (l Layout, ok bool) {
	if len(filter) <= headerSize {
		return l, false
	}
	header := uint64(binary.LittleEndian.Uint16(filter))
	l.Columns = 1 + header%MaxColumns
	l.Slots = uint64(len(filter)-headerSize) * 8 / l.Columns
	l.Seed, l.attempt = header>>4%Seeds, header>>11
	return l, l.Slots > 0
}

// header is the inverse of Parse.
func (l Layout) header() uint16 {
	return uint16(l.Columns - 1 | l.Seed<<4 | l.attempt<<11)
}

// equation is a key's: the slots from slot on that row selects XOR to value, of
// which the low bits count, one for each column.
type equation struct {
	slot, row uint64
	value     uint16
}

// equation returns that of the key of hash h.
func (l Layout) equation(h uint64) equation {
	x := (h ^ l.attempt*keyhash.W) * keyhash.R
	x ^= x >> 32
	e := equation{row: x*keyhash.R | 1, value: uint16(x * keyhash.V >> 48)}
	if l.Slots > width {
		e.slot = keyhash.Scale(x, l.Slots-width+1)
	} else {
		e.row &= 1<<l.Slots - 1
	}
	return e
}

// offset returns the bit at which a column has a slot.
func (l Layout) offset(column, slot uint64) uint64 {
	return headerSize*8 + column*l.Slots + slot
}
