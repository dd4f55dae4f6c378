package datablock

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// MayContain reports whether the keys that filter was built from may include
// key. It never answers false for one of them, and for another key with
// probability 2⁻ʳ. It answers true for bytes that are no filter, none included.
//
// It allocates nothing and may be called concurrently.
func MayContain(filter, key []byte) bool {
	l, ok := parse(filter)
	if !ok {
		return true
	}
	e := l.equation(keyhash.Sum(key, l.seed))
	// Four columns at once: a branch on each would be mispredicted half of the
	// time.
	differ, at := uint64(0), l.offset(0, e.slot)
	column := uint64(0)
	for ; column+4 <= l.columns; column += 4 {
		differ = parity(load(filter, at)&e.row) |
			parity(load(filter, at+l.slots)&e.row)<<1 |
			parity(load(filter, at+2*l.slots)&e.row)<<2 |
			parity(load(filter, at+3*l.slots)&e.row)<<3
		differ ^= uint64(e.value>>column) & 0xf
		if differ != 0 {
			return false
		}
		at += 4 * l.slots
	}
	for ; column < l.columns; column++ {
		differ |= parity(load(filter, at)&e.row) ^ uint64(e.value>>column)&1
		at += l.slots
	}
	return differ == 0
}

// Info describes a filter.
type Info struct {
	// FingerprintBits is the r of its false-positive rate, 2⁻ʳ.
	FingerprintBits int
	// Slots is the size of its system, 0 to 3 % or 2 above the number of keys.
	Slots int
	// Bytes is the length of the filter.
	Bytes int
}

// Describe reports false for bytes that are no filter.
func Describe(filter []byte) (Info, bool) {
	l, ok := parse(filter)
	return Info{FingerprintBits: int(l.columns), Slots: int(l.slots), Bytes: len(filter)}, ok
}
