package keyrange

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// Builder collects the keys of one data block after another, in key order. It
// keeps a block's keys. It is not safe for concurrent use.
type Builder struct {
	bits   int
	keys   [][]byte
	bytes  []byte // of keys
	before []byte // the last key of the block before
	wrong  bool   // the block's keys are not in order
	values []uint64
}

// NewBuilder returns a builder of filters with that many bits for a key's cell,
// or the nearest number from MinBits to MaxBits.
func NewBuilder(bits int) *Builder { return &Builder{bits: min(max(bits, MinBits), MaxBits)} }

// Add adds a key, whose bytes are no less than those of the one before: a block
// in another order has no filter. Repeats are free.
func (b *Builder) Add(key []byte) {
	n := len(b.keys)
	if n > maxKeys {
		return
	}
	if n > 0 {
		order := bytes.Compare(b.keys[n-1], key)
		if order == 0 {
			return
		}
		b.wrong = b.wrong || order > 0
	}
	begin := len(b.bytes)
	b.bytes = append(b.bytes, key...)
	b.keys = append(b.keys, b.bytes[begin:])
}

// AppendFilter appends the filter of the keys added since the last call to dst.
// It appends nothing, which MayContain takes for "maybe", for no keys, for more
// than maxKeys, and for keys that are not in order.
func (b *Builder) AppendFilter(dst []byte) []byte {
	n := len(b.keys)
	if n == 0 {
		return dst
	}
	if n <= maxKeys && !b.wrong {
		dst = b.append(dst)
	}
	b.before = append(b.before[:0], b.keys[n-1]...)
	b.keys, b.bytes, b.wrong = b.keys[:0], b.bytes[:0], false
	return dst
}

func (b *Builder) append(dst []byte) []byte {
	prefix := b.prefix()
	a := b.alphabet(prefix)
	b.values = b.values[:0]
	for _, key := range b.keys {
		v, _ := a.value(key[prefix:])
		b.values = append(b.values, v)
	}
	first, last := b.values[0], b.values[len(b.values)-1]
	if first == last { // cells as wide as the gap between blocks
		v, _ := a.value(b.before[min(prefix, len(b.before)):])
		first = min(first, v)
	}
	shift := shiftOf(last-first, uint64(len(b.values))<<b.bits)
	dst = append(dst, byte(prefix), a.least, a.greatest, byte(shift), byte(b.bits))
	dst = append(dst, b.keys[0][:prefix]...)
	return b.appendCells(dst, shift)
}

// prefix returns how many bytes the filter stores of what all keys begin with.
// What sets the block apart from the one before is enough.
func (b *Builder) prefix() int {
	first := b.keys[0]
	n := min(commonPrefix(first, b.keys[len(b.keys)-1]), maxPrefix)
	if len(b.before) == 0 {
		return n
	}
	return min(n, commonPrefix(b.before, first))
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// symbols is how many symbols after the prefix the alphabet is made for: more
// than are needed to tell the keys of a block apart.
const symbols = 8

func (b *Builder) alphabet(prefix int) alphabet {
	a := alphabet{least: 255, greatest: 0}
	for _, key := range b.keys {
		for _, c := range key[prefix:min(prefix+symbols, len(key))] {
			a.least, a.greatest = min(a.least, c), max(a.greatest, c)
		}
	}
	if a.least > a.greatest { // all keys end
		return alphabet{}
	}
	return a
}

// shiftOf returns the shift that leaves a span about that number of cells.
func shiftOf(span, cells uint64) (shift int) {
	for span>>shift > cells+cells/2 {
		shift++
	}
	return shift
}

// appendCells appends the number of cells, the first, and what each is above
// it: the low bits of all, and then a one for each key, after as many zeros as
// its high part is above that of the key before.
func (b *Builder) appendCells(dst []byte, shift int) []byte {
	n, first := len(b.values), b.values[0]>>shift
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, first)
	high := (b.values[n-1]>>shift - first) >> b.bits
	start, size := len(dst), (n*b.bits+n+int(high)+7)/8
	dst = slices.Grow(dst, size+gf2.Pad)[:start+size+gf2.Pad]
	clear(dst[start:])
	for i, v := range b.values {
		cell := v>>shift - first
		gf2.Or(dst[start:], i*b.bits, cell&(1<<b.bits-1))
		one := n*b.bits + i + int(cell>>b.bits)
		dst[start+one/8] |= 1 << (one % 8)
	}
	return dst[:start+size]
}
