package compressed

import (
	"math"
	"sync"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// AppendBlock appends a block for the hashes of keys to dst, as
// blockfilter.Family says. The block depends on the set of hashes alone, not on
// their order.
// Beside dst it needs 8 bytes a key and, from a pool, the size of the block.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	b := builders.Get().(*builder)
	defer builders.Put(b)
	for cap := c.MaxBytes; ; cap -= cap / 200 {
		g := c.geometryFor(n, cap)
		block, shape := b.build(dst, hashes, n, g)
		if c.MaxBytes <= 0 || len(block)-len(dst)+trailer.Size <= c.MaxBytes || g == smallest {
			return trailer.Trailer{
				Seed: seed, Keys: uint64(n), Geometry: uint64(shape),
				Family: trailer.Compressed, Params: [3]uint8{0, 1, 1}, Level: int8(level),
			}.Append(block)
		}
	}
}

// geometryFor returns the array for n keys: the best of BitsPerKey, or the best
// that stays within maxBytes but in one block of 10⁹. It does not depend on the
// keys, so equal policies write equal arrays.
func (c Config) geometryFor(n, maxBytes int) geometry {
	storedBits := trailer.FitBits(c.BitsPerKey+inPlaceBits, n, maxBytes)
	for {
		g := geometryFor(n, storedBits)
		size := g.expectedSize(n) + g.sizeMargin(n)
		if maxBytes <= 0 || size <= float64(maxBytes) || g == smallest {
			return g
		}
		storedBits *= min(0.999, float64(maxBytes)/size)
	}
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. Blocks differ from it by chance, with a standard deviation of at
// most 0.12·√n.
func (c Config) ExpectedSize(n int) int {
	return int(math.Ceil(c.geometryFor(n, c.MaxBytes).expectedSize(n)))
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys,
// with the array that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	return -math.Expm1(-float64(n) / c.geometryFor(n, c.MaxBytes).slots())
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
func (c Config) Wrote(block []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok || v.Family() != trailer.Compressed || v.Keys() > trailer.MaxKeys {
		return false
	}
	shape := compress.Shape(v.Geometry())
	_, err := compress.OpenSparse(body, shape)
	return err == nil && geometryOf(shape) == c.geometryFor(int(v.Keys()), c.MaxBytes)
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
