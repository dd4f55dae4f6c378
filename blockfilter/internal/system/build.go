package system

import (
	"encoding/binary"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// Builder has the scratch of builds, 20 bytes a slot and 3 KiB.
type Builder struct {
	band  gf2.Band
	words gf2.Words
}

// Append appends to dst the filter of layout l for the keys with these hashes.
// It reports false, and appends nothing, if none of the layout's systems has a
// solution for them.
func (b *Builder) Append(dst []byte, hashes []uint64, l Layout) (filter []byte, ok bool) {
	start, size := len(dst), l.Bytes()
	filter = slices.Grow(dst, size+gf2.Pad)[:start+size+gf2.Pad]
	clear(filter[start:])
	for ; l.attempt < attempts; l.attempt++ {
		if b.store(filter[start:], hashes, l) {
			binary.LittleEndian.PutUint16(filter[start:], l.header())
			return filter[:start+size], true
		}
	}
	return dst, false
}

// useWords is false where a band is faster. For fewer than minWords keys it
// always is: transposing words takes as long for few keys as for 64. At 40 keys
// words take 23 ns a key, hashes and all, where a band takes 48, and words
// without vectors 72.
var useWords = gf2.HasVectors

const minWords = 16

// store stores the columns of the system of all keys. It reports false, and
// stores nothing, if the system has no solution.
func (b *Builder) store(filter []byte, hashes []uint64, l Layout) bool {
	if useWords && len(hashes) >= minWords && max(int(l.Slots), len(hashes)) <= gf2.WordSlots {
		return b.storeWords(filter, hashes, l)
	}
	b.band.Reset(int(l.Slots))
	for _, h := range hashes {
		e := l.equation(h)
		if !b.band.Insert(int(e.slot), gf2.Row{Lo: e.row}, uint32(e.value)&l.mask()) {
			return false
		}
	}
	b.band.Solve(filter, headerSize*8, int(l.Columns))
	return true
}

// Slots returns how many slots n keys should get, so that one system in three
// or more has a solution. Below 8 keys a spare slot would cost more than 1 bit
// a key at 8 bits. From 64 keys on rows are narrower than the system: that
// takes 2 % more slots, and 4 % for 16,384 keys.
func Slots(n int) int {
	switch {
	case n < 8:
		return n
	case n < 24:
		return n + 1
	}
	return n + 2 + (max(n, width)-width)/48 + n*n>>20
}
