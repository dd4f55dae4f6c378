package keyrange

import (
	"bytes"
	"encoding/binary"
)

// Builder collects the keys of one data block after another, in key order. It
// keeps a block's keys. It is not safe for concurrent use.
type Builder struct {
	bits   int
	keys   []byte // one after another
	ends   []int  // of each in keys
	before []byte // the last key of the block before
	wrong  bool   // the block's keys are not in order
	values []uint64
}

// NewBuilder returns a builder of filters with some bits for a key's cell. It
// takes the nearest number from MinBits to MaxBits.
func NewBuilder(bits int) *Builder { return &Builder{bits: min(max(bits, MinBits), MaxBits)} }

// Add adds a key, whose bytes are no less than those of the one before: a block
// in another order has no filter. Repeats are free.
func (b *Builder) Add(key []byte) {
	n := len(b.ends)
	if n > MaxKeys {
		return
	}
	if n > 0 {
		order := bytes.Compare(b.key(n-1), key)
		if order == 0 {
			return
		}
		b.wrong = b.wrong || order > 0
	}
	b.keys = append(b.keys, key...)
	b.ends = append(b.ends, len(b.keys))
}

func (b *Builder) key(i int) []byte {
	begin := 0
	if i > 0 {
		begin = b.ends[i-1]
	}
	return b.keys[begin:b.ends[i]]
}

// AppendFilter appends the filter of the keys added since the last call to dst.
// It appends nothing, which MayContain takes for "maybe", for no keys, for more
// than MaxKeys, and for keys that are not in order.
func (b *Builder) AppendFilter(dst []byte) []byte {
	n := len(b.ends)
	if n == 0 {
		return dst
	}
	if n <= MaxKeys && !b.wrong {
		dst = b.append(dst)
	}
	b.before = append(b.before[:0], b.key(n-1)...)
	b.keys, b.ends, b.wrong = b.keys[:0], b.ends[:0], false
	return dst
}

func (b *Builder) append(dst []byte) []byte {
	prefix := b.prefix()
	a := b.alphabet(prefix)
	b.values = b.values[:0]
	for i := range b.ends {
		v, _ := a.value(b.key(i)[prefix:])
		b.values = append(b.values, v)
	}
	first, last := b.values[0], b.values[len(b.values)-1]
	if before := b.before[min(prefix, len(b.before)):]; first == last {
		v, _ := a.value(before)
		first = min(first, v) // cells as wide as the gap between blocks
	}
	shift := shiftOf(last-first, uint64(len(b.values))<<b.bits)
	dst = append(dst, byte(prefix), a.least, a.greatest, byte(shift), byte(b.bits))
	dst = append(dst, b.keys[:prefix]...)
	return b.appendCells(dst, shift)
}

// prefix returns how many bytes the filter stores of what all keys begin with.
// What sets the block apart from the one before is enough.
func (b *Builder) prefix() int {
	n := min(commonPrefix(b.key(0), b.key(len(b.ends)-1)), maxPrefix)
	if len(b.before) == 0 {
		return n
	}
	return min(n, commonPrefix(b.before, b.key(0)))
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// symbols is how many symbols behind the prefix the alphabet is made for: more
// than tell the keys of a block apart.
const symbols = 8

func (b *Builder) alphabet(prefix int) alphabet {
	a := alphabet{least: 255, greatest: 0}
	for i := range b.ends {
		key := b.key(i)[prefix:]
		for _, c := range key[:min(symbols, len(key))] {
			a.least, a.greatest = min(a.least, c), max(a.greatest, c)
		}
	}
	if a.least > a.greatest { // all keys end
		return alphabet{}
	}
	return a
}

// shiftOf returns the shift that leaves about so many cells of a span.
func shiftOf(span, cells uint64) (shift int) {
	for span>>shift > cells+cells/2 {
		shift++
	}
	return shift
}

// appendCells appends the number of cells, the first, and what each is above it:
// the low bits of all, then for each a one behind as many zeros as its high
// part is above that of the one before.
func (b *Builder) appendCells(dst []byte, shift int) []byte {
	first := b.values[0] >> shift
	dst = binary.AppendUvarint(dst, uint64(len(b.values)))
	dst = binary.AppendUvarint(dst, first)
	w := bitWriter{dst: dst}
	for _, v := range b.values {
		w.append((v>>shift-first)&(1<<b.bits-1), b.bits)
	}
	high := uint64(0)
	for _, v := range b.values {
		for ; high < (v>>shift-first)>>b.bits; high++ {
			w.append(0, 1)
		}
		w.append(1, 1)
	}
	return w.bytes()
}

// bitWriter appends numbers of some bits, the low ones first.
type bitWriter struct {
	dst  []byte
	word uint64
	n    int // bits in word
}

func (w *bitWriter) append(v uint64, bits int) {
	w.word |= v << w.n
	for w.n += bits; w.n >= 8; w.n -= 8 {
		w.dst = append(w.dst, byte(w.word))
		w.word >>= 8
	}
}

func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		w.dst = append(w.dst, byte(w.word))
	}
	return w.dst
}
