package ycsb

import (
	"math/rand/v2"
)

// Values gives each record its value: bytes that do not compress, so that a
// store's size follows from its records.
type Values struct {
	pool []byte
	size int
}

// poolSize is far above the window in which Pebble's compressors look for
// repeats, a block.
const poolSize = 1 << 20

// NewValues returns values of one size in bytes.
func NewValues(size int, seed uint64) *Values {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	v := &Values{pool: make([]byte, poolSize+size), size: size}
	_, _ = rand.NewChaCha8(key).Read(v.pool) // never fails
	return v
}

// Of returns the value of a record, a slice that the caller must not change.
func (v *Values) Of(number uint64) []byte {
	start := hash(number) % poolSize
	return v.pool[start:][:v.size]
}
