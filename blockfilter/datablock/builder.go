package datablock

import (
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
)

// Builder collects the keys of one data block after another. It keeps 8 bytes
// for each key of a block and 20 for each slot. It is not safe for concurrent
// use.
type Builder struct {
	columns int
	seed    uint64
	hashes  []uint64
	system  system.Builder
}

// NewBuilder returns a builder of filters with fingerprints of that many bits,
// or the nearest number from MinBits to MaxBits.
func NewBuilder(fingerprintBits int) *Builder {
	b := &Builder{columns: min(max(fingerprintBits, MinBits), MaxBits)}
	b.reset()
	return b
}

// reset empties the builder. Each block gets a seed of its own, so that keys
// prepared to pass the filter of one do not pass that of another.
func (b *Builder) reset() {
	b.hashes = b.hashes[:0]
	b.seed = rand.Uint64N(system.Seeds)
}

// Add adds a key. Repeats of the key added last are free, others cost bits.
func (b *Builder) Add(key []byte) {
	h, n := keyhash.Sum(key, b.seed), len(b.hashes)
	if n > 0 && h == b.hashes[n-1] || n > maxKeys {
		return
	}
	b.hashes = append(b.hashes, h)
}

// AppendFilter appends the filter of the keys added since the last call to dst.
// It appends nothing, which MayContain takes for "maybe", for no keys, for more
// than maxKeys, and, with negligible probability, where no system for them was
// solvable.
func (b *Builder) AppendFilter(dst []byte) []byte {
	defer b.reset()
	n := len(b.hashes)
	if n == 0 || n > maxKeys {
		return dst
	}
	slots := system.Slots(n)
	for range maxSizes {
		size := (system.Layout{Columns: uint64(b.columns), Slots: uint64(slots)}).Bytes()
		l := system.LayoutOf(size, b.columns, b.seed)
		filter, ok := b.system.Append(dst, b.hashes, l)
		if ok {
			return filter
		}
		slots = int(l.Slots + 1 + l.Slots/64)
	}
	return dst
}

// maxSizes bounds the sizes that a build tries, with all systems of each.
const maxSizes = 8
