package keyrange

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// Range is the keys from Lower on that are less than Upper, all of them if
// Upper is nil.
type Range struct{ Lower, Upper []byte }

// MayContain reports whether the keys that filter was built from may include
// one of a range. It never answers false for a range that has one. It answers
// true for bytes that are no filter, none included.
//
// It allocates nothing and may be called concurrently.
func MayContain(filter []byte, r Range) bool {
	f, ok := parse(filter)
	if !ok {
		return true
	}
	from, to, ok := f.cells(r)
	return ok && (from == 0 || f.anyCell(from, to)) // the first cell has a key
}

// parsed is a filter.
type parsed struct {
	prefix   []byte
	alphabet alphabet
	shift    int
	bits     int    // low bits of a cell
	keys     int    // how many
	first    uint64 // cell; the others are above it
	low      []byte // bits of all cells, and after them the high parts
}

func parse(filter []byte) (f parsed, ok bool) {
	if len(filter) < headerSize {
		return f, false
	}
	prefix := int(filter[0])
	f.alphabet = alphabet{filter[1], filter[2]}
	f.shift, f.bits = int(filter[3]), int(filter[4])
	rest := filter[headerSize:]
	if prefix > len(rest) || f.alphabet.least > f.alphabet.greatest || f.shift > 63 || f.bits < MinBits || f.bits > MaxBits {
		return f, false
	}
	f.prefix, rest = rest[:prefix], rest[prefix:]
	keys, n := binary.Uvarint(rest)
	if n <= 0 || keys == 0 || keys > maxKeys {
		return f, false
	}
	f.keys, rest = int(keys), rest[n:]
	if f.first, n = binary.Uvarint(rest); n <= 0 {
		return f, false
	}
	f.low = rest[n:]
	return f, f.keys*(f.bits+1) <= 8*len(f.low)
}

// cells returns those that keys of a range may be in, the first of the block
// being 0, if there are any.
func (f *parsed) cells(r Range) (from, to uint64, ok bool) {
	to = ^uint64(0)
	switch bytes.Compare(r.Lower[:min(len(f.prefix), len(r.Lower))], f.prefix) {
	case 1:
		return 0, 0, false
	case 0:
		from, _ = f.alphabet.value(r.Lower[len(f.prefix):])
		from >>= f.shift
	}
	if r.Upper != nil {
		switch bytes.Compare(r.Upper[:min(len(f.prefix), len(r.Upper))], f.prefix) {
		case -1:
			return 0, 0, false
		case 0:
			if len(r.Upper) == len(f.prefix) {
				return 0, 0, false
			}
			v, exact := f.alphabet.value(r.Upper[len(f.prefix):])
			if exact {
				v-- // not 0, since Upper goes on after the prefix
			}
			to = v >> f.shift
		}
	}
	if to < f.first {
		return 0, 0, false
	}
	return max(from, f.first) - f.first, to - f.first, true
}

// anyCell reports whether a key is in one of the cells from from to to. The one
// of key i comes after as many zeros of the high parts as its high part is.
func (f *parsed) anyCell(from, to uint64) bool {
	i, begin := 0, f.keys*f.bits
	for at := begin; at < 8*len(f.low); at += 64 {
		for word := gf2.Load(f.low, uint64(at)); word != 0; word &= word - 1 {
			high := uint64(at + bits.TrailingZeros64(word) - begin - i)
			if high >= from>>f.bits {
				low := gf2.Load(f.low, uint64(i*f.bits)) & (1<<f.bits - 1)
				if cell := high<<f.bits | low; cell >= from {
					return cell <= to
				}
			}
			if i++; i == f.keys {
				return false
			}
		}
	}
	return true // damaged
}
