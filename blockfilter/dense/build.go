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

// AppendBlock appends to dst a filter block for the given key hashes: the
// filter's lines and a trailer. Seed is that of the hashes, level that of the
// LSM or −1. The same hashes give the same block on every machine, whatever
// their order.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	layout, size := c.bodyFor(n)
	t := trailer.Trailer{
		Seed: seed, Keys: uint64(n), Geometry: uint64(size),
		Family: trailer.Dense, Params: [3]uint8{uint8(layout)}, Level: int8(level),
	}
	if layout == oneSystem {
		dst, body := trailer.Grow(dst, size)
		if !storeSystem(body, slices.Concat(hashes...)) {
			t.Geometry = 0 // all keys pass
		}
		return t.Append(dst)
	}
	dst, body := trailer.Grow(dst, size*lineSize)
	var s solver
	for i, keys := range keyhash.ByLine(hashes, n, size) {
		copy(body[i*lineSize:], s.solve(keys))
	}
	return t.Append(dst)
}

// bodyFor returns the layout and the size of the body of a filter for n keys: a
// number of lines, or of bytes.
func (c Config) bodyFor(n int) (layout, size int) {
	bits := trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	if size := max(int(math.Ceil(float64(n)*bits/8)), minSystem); n > 0 && n <= maxOneSystem && systemColumns(size, n) > 0 {
		return oneSystem, size
	}
	return lines, line.Count(n, bits, c.MaxBytes)
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
