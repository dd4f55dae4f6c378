package datablock

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

// Builder collects the keys of one data block after another. It keeps 8 bytes
// for each key of a block and 10 for each slot. It is not safe for concurrent
// use.
type Builder struct {
	columns uint64
	seed    uint64
	hashes  []uint64

	// The system in echelon form: rows[i] is zero or has its first coefficient
	// at slot i, which it therefore determines.
	rows   []uint64
	values []uint16
}

// NewBuilder returns a builder of filters with fingerprints of some bits. It
// takes the nearest number from MinBits to MaxBits.
func NewBuilder(fingerprintBits int) *Builder {
	b := &Builder{columns: uint64(min(max(fingerprintBits, MinBits), MaxBits))}
	b.reset()
	return b
}

// reset empties the builder. Each block gets a seed of its own, so that keys
// prepared to pass the filter of one do not pass that of another.
func (b *Builder) reset() {
	b.hashes = b.hashes[:0]
	b.seed = rand.Uint64N(seeds)
}

// Add adds a key. Repeats of the key added last are free, others cost bits.
func (b *Builder) Add(key []byte) {
	h, n := keyhash.Sum(key, b.seed), len(b.hashes)
	if n > 0 && h == b.hashes[n-1] || n > MaxKeys {
		return
	}
	b.hashes = append(b.hashes, h)
}

// AppendFilter appends the filter of the keys added since the last call to dst.
// It appends nothing, which MayContain takes for "maybe", for no keys, for more
// than MaxKeys, and, with negligible probability, where no system for them was
// solvable.
func (b *Builder) AppendFilter(dst []byte) []byte {
	defer b.reset()
	n := uint64(len(b.hashes))
	if n == 0 || n > MaxKeys {
		return dst
	}
	slots := firstSlots(n)
	for range maxSizes {
		l := layoutOf(headerSize+int(slots*b.columns+7)/8, b.columns)
		l.seed = b.seed
		for ; l.attempt < attempts; l.attempt++ {
			if b.insertAll(l) {
				return b.appendSolution(dst, l)
			}
		}
		slots = l.slots + 1 + l.slots/64
	}
	return dst
}

// maxSizes bounds the sizes that a build tries, with all attempts each.
const maxSizes = 8

// firstSlots returns how many slots n keys get at first, so that one system in
// three or more has a solution. Below 8 keys a spare slot would cost more than
// 1 bit a key at 8 bits. From 64 keys on rows are narrower than the system: that
// takes 2 % more slots, and 4 % at MaxKeys.
func firstSlots(n uint64) uint64 {
	switch {
	case n < 8:
		return n
	case n < 24:
		return n + 1
	}
	return n + 2 + (max(n, width)-width)/48 + n*n>>20
}

// insertAll makes the echelon form of all keys' equations. It reports false if
// they contradict each other.
func (b *Builder) insertAll(l layout) bool {
	b.rows = slices.Grow(b.rows[:0], int(l.slots))[:l.slots]
	b.values = slices.Grow(b.values[:0], int(l.slots))[:l.slots]
	clear(b.rows)
	mask := uint16(1<<l.columns - 1)
	for _, h := range b.hashes {
		e := l.equation(h)
		e.value &= mask
		if !b.insert(e) {
			return false
		}
	}
	return true
}

// insert adds e by on-the-fly Gaussian elimination (Dillinger and Walzer 2021,
// §2). It reports false if e contradicts the equations before it.
func (b *Builder) insert(e equation) bool {
	rows := b.rows
	values := b.values[:len(rows)]
	slot, row, value := e.slot, e.row, e.value
	for {
		have := rows[slot]
		if have == 0 {
			rows[slot], values[slot] = row, value
			return true
		}
		row ^= have
		value ^= values[slot]
		if row == 0 {
			return value == 0
		}
		shift := bits.TrailingZeros64(row)
		row >>= shift & 63
		slot += uint64(shift)
	}
}

// appendSolution back-substitutes from the last slot to the first. Slots that
// no equation determines become zero.
func (b *Builder) appendSolution(dst []byte, l layout) []byte {
	size := headerSize + int(l.slots*l.columns+7)/8
	start := len(dst)
	dst = slices.Grow(dst, size+8)[:start+size+8]
	filter := dst[start:]
	clear(filter)
	binary.LittleEndian.PutUint16(filter, l.header())

	// window[j] is column j of the 64 slots from the current one on.
	var window [maxColumns]uint64
	w := window[:l.columns]
	for slot := l.slots; slot > 0; {
		slot--
		row, value := b.rows[slot], uint64(b.values[slot])
		if row == 0 {
			value = 0
		}
		for j, x := range w {
			x <<= 1
			w[j] = x | (parity(x&row)^value)&1
			value >>= 1
		}
		if slot%64 == 0 {
			for j, x := range w {
				or(filter, l.offset(uint64(j), slot), x)
			}
		}
	}
	return dst[:start+size]
}
