package compressed

import (
	"sync"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// AppendBlock appends to dst a filter block for the given key hashes: the packed array, then t with the fields that
// describe it filled in. The caller sets t's Seed and Level. The block depends on the set of hashes alone, not on their order.
// Beside dst it needs 8 bytes a key and, from a pool, the size of the block.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, t trailer.Trailer) []byte {
	n := keyhash.Count(hashes)
	t.Family, t.Keys, t.Probes, t.Choices = trailer.Compressed, uint64(n), 1, 1

	b := builders.Get().(*builder)
	defer builders.Put(b)
	storedBits := trailer.FitBits(c.BitsPerKey+inPlaceBits, n, c.MaxBytes)
	for {
		g := geometryFor(n, storedBits)
		block, shape := b.build(dst, hashes, n, g)
		size := len(block) - len(dst) + trailer.Size
		if c.MaxBytes <= 0 || size <= c.MaxBytes || g == smallest {
			t.Geometry = uint64(shape)
			return t.Append(block)
		}
		// A block's size is its plan's but for chance and whole lines.
		storedBits *= 0.995 * float64(c.MaxBytes) / float64(size)
	}
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
