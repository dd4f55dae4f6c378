package compressed

import (
	"math"
	"sync"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// AppendBlock appends to dst the block of the keys with these hashes under
// seed, for a level of the LSM from 0 to 6, or for none if it is −1.
// The filter depends on the set of hashes alone, not on their order. Beside dst
// it needs 8 bytes a key and, from a pool, the size of the filter.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	b := builders.Get().(*builder)
	defer builders.Put(b)
	for cap := c.MaxBytes; ; cap -= cap / 200 {
		g := c.geometry(n, cap)
		body, shape := b.build(dst, hashes, n, g)
		if c.MaxBytes <= 0 || len(body)-len(dst)+trailer.Size <= c.MaxBytes || g == smallest {
			return trailer.Shape{Geometry: uint64(shape), Family: trailer.Compressed, Params: [3]uint8{0, 1, 1}}.
				Append(body, seed, n, level)
		}
	}
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. Blocks differ from it by chance, with a standard deviation of at
// most 0.12·√n.
func (c Config) ExpectedSize(n int) int {
	return int(math.Ceil(c.geometry(n, c.MaxBytes).expectedSize(n)))
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys,
// with the array that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	return -math.Expm1(-float64(n) / c.geometry(n, c.MaxBytes).slots())
}

// Wrote reports whether c writes such a block for as many keys.
func (c Config) Wrote(block []byte) bool {
	body, v, ok := trailer.Split(block)
	if !ok || v.Family() != trailer.Compressed {
		return false
	}
	shape := compress.Shape(v.Geometry())
	ok = compress.Sparse{Shape: shape, Data: body}.Fits()
	return ok && geometryOf(shape) == c.geometry(int(v.Keys()), c.MaxBytes)
}

var builders = sync.Pool{New: func() any { return new(builder) }}

// builder keeps the scratch memory of builds.
type builder struct {
	writer compress.SparseWriter
	slots  []uint32 // of the keys of a line
}

// build appends the packed array of n hashes to dst.
func (b *builder) build(dst []byte, hashes [][]uint64, n int, g geometry) ([]byte, compress.Shape) {
	b.writer.Reset(g.bucketBits)
	lines, lineSlots := uint64(g.lines), g.lineSlots()
	for _, keys := range keyhash.ByLine(hashes, n, g.lines) {
		b.slots = b.slots[:0]
		for _, h := range keys {
			_, slot := place(h, lines, lineSlots)
			b.slots = append(b.slots, uint32(slot))
		}
		b.writer.AddLine(b.slots)
	}
	return b.writer.Finish(dst)
}
