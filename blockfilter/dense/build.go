package dense

import (
	"math"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// The layouts of bodies, stored in blocks.
const (
	lines     = iota // geometry is their number
	oneSystem        // geometry is its bytes
)

// maxOneSystem is the most keys of a table whose filter is one system. Few keys
// would spend more bits in whole lines than they asked for.
const maxOneSystem = 128

// AppendBlock appends a block for the hashes of keys to dst, as
// blockfilter.Family says. The same hashes give the same block on every machine,
// whatever their order.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	t, size := c.blockFor(n)
	t.Seed, t.Level = seed, int8(level)
	dst, body := trailer.Grow(dst, size)
	if t.Params[0] == oneSystem {
		if !storeSystem(body, slices.Concat(hashes...)) {
			t.Geometry = 0 // all keys pass
		}
		return t.Append(dst)
	}
	var s solver
	for i, keys := range keyhash.ByLine(hashes, n, size/lineSize) {
		copy(body[i*lineSize:], s.solve(keys))
	}
	return t.Append(dst)
}

// blockFor returns the trailer of a block for n keys, without seed and level,
// and the size of its body.
func (c Config) blockFor(n int) (t trailer.Trailer, size int) {
	t = trailer.Trailer{Keys: uint64(n), Family: trailer.Dense}
	bits := trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	size = max(int(math.Ceil(float64(n)*bits/8)), minSystem)
	if n > 0 && n <= maxOneSystem && systemColumns(size, n) > 0 {
		t.Geometry, t.Params[0] = uint64(size), oneSystem
		return t, size
	}
	count := line.Count(n, bits, c.MaxBytes)
	t.Geometry, t.Params[0] = uint64(count), lines
	return t, count * lineSize
}

// minSystem is the size of the least system: its header and a byte.
const minSystem = 3

// storeSystem stores in body a system with as many columns as fit. It reports
// false, with negligible probability, if it finds none.
func storeSystem(body []byte, hashes []uint64) bool {
	var b system.Builder
	for columns := systemColumns(len(body), len(hashes)); columns > 0; columns-- {
		l := system.LayoutOf(len(body), columns, 0)
		if filter, ok := b.Append(nil, hashes, l); ok {
			copy(body, filter)
			return true
		}
	}
	return false
}

// systemColumns returns how many columns a system of some bytes has for n keys.
func systemColumns(size, n int) int {
	columns := system.MaxColumns
	for columns > 0 && system.LayoutOf(size, columns, 0).Slots < uint64(system.Slots(n)) {
		columns--
	}
	return columns
}
