package system

import (
	"encoding/binary"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// Pad is how many bytes behind a filter Builder.Append may use.
const Pad = gf2.Pad

// Builder has the scratch of builds, 20 bytes a slot.
type Builder struct{ band gf2.Band }

// Append appends to dst the filter of layout l for the keys of some hashes. It
// reports false, and appends nothing, if none of the layout's systems has a
// solution for them.
func (b *Builder) Append(dst []byte, hashes []uint64, l Layout) (filter []byte, ok bool) {
	for ; l.attempt < attempts; l.attempt++ {
		if b.insert(hashes, l) {
			return b.appendSolution(dst, l), true
		}
	}
	return dst, false
}

// insert makes the system of all keys. It reports false if their equations
// contradict each other.
func (b *Builder) insert(hashes []uint64, l Layout) bool {
	b.band.Reset(int(l.Slots))
	mask := uint32(1)<<l.Columns - 1
	for _, h := range hashes {
		e := l.equation(h)
		if _, ok := b.band.Insert(int(e.slot), gf2.Row{Lo: e.row}, uint32(e.value)&mask); !ok {
			return false
		}
	}
	return true
}

func (b *Builder) appendSolution(dst []byte, l Layout) []byte {
	start, size := len(dst), l.Bytes()
	dst = slices.Grow(dst, size+Pad)[:start+size+Pad]
	filter := dst[start:]
	clear(filter)
	binary.LittleEndian.PutUint16(filter, l.header())
	b.band.Solve(filter, headerSize*8, int(l.Columns))
	return dst[:start+size]
}

// Slots returns how many slots n keys should get, so that one system in three
// or more has a solution. Below 8 keys a spare slot would cost more than 1 bit a
// key at 8 bits. From 64 keys on rows are narrower than the system: that takes
// 2 % more slots, and 4 % for 16,384 keys.
func Slots(n int) int {
	switch {
	case n < 8:
		return n
	case n < 24:
		return n + 1
	}
	return n + 2 + (max(n, width)-width)/48 + n*n>>20
}
