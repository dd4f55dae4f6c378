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

// AppendBlock appends to dst the block of the keys with these hashes under
// seed, for a level of the LSM from 0 to 6, or for none if it is −1.
// The same hashes give the same filter on every machine, whatever their order.
//
// Beside dst and the hashes it needs 8 bytes a key and some 100 KiB.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	shape := c.shape(n)
	dst, body := trailer.Grow(dst, shape.Bytes)
	if shape.Params[0] == oneSystem {
		if !storeSystem(body, slices.Concat(hashes...)) {
			shape.Geometry = 0 // all keys pass
		}
		return shape.Append(dst, seed, n, level)
	}
	var s solver
	for i, keys := range keyhash.ByLine(hashes, n, shape.Bytes/line.Size) {
		copy(body[i*line.Size:], s.solve(keys))
	}
	return shape.Append(dst, seed, n, level)
}

// shape returns what the trailer says of a filter for n keys.
func (c Config) shape(n int) trailer.Shape {
	s := trailer.Shape{Family: trailer.Dense}
	bits := trailer.FitBits(c.BitsPerKey, n, c.MaxBytes)
	size := max(int(math.Ceil(float64(n)*bits/8)), minSystem)
	if n > 0 && n <= maxOneSystem && systemColumns(size, n) > 0 {
		s.Geometry, s.Bytes, s.Params[0] = uint64(size), size, oneSystem
		return s
	}
	s.Geometry, s.Bytes = line.Fit(n, bits, c.MaxBytes)
	return s
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

// systemColumns returns how many columns a system of size bytes has for n keys.
func systemColumns(size, n int) int {
	columns := system.MaxColumns
	for columns > 0 && system.LayoutOf(size, columns, 0).Slots < uint64(system.Slots(n)) {
		columns--
	}
	return columns
}
