package datablock

import (
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
)

// MayContain reports whether the keys that filter was built from may include
// key. It never answers false for one of them, and for another key with
// probability 2⁻ʳ. It answers true for bytes that are no filter, none included.
//
// It allocates nothing and may be called concurrently.
func MayContain(filter, key []byte) bool {
	l, ok := system.Parse(filter)
	return !ok || l.MayContain(filter, keyhash.Sum(key, l.Seed))
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
	l, ok := system.Parse(filter)
	return Info{FingerprintBits: int(l.Columns), Slots: int(l.Slots), Bytes: len(filter)}, ok
}
