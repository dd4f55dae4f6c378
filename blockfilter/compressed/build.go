package compressed

import (
	"sync"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// AppendBlock appends to dst a filter block for the given key hashes: the packed array, then t with the fields that
// describe it filled in. The caller sets t's Seed and Level. The block depends on the set of hashes alone, not on their order.
// Beside dst it needs, from a pool, 4 bytes a key and the size of the block.
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
	slots  []uint32 // of all keys, line by line
	ends   []int    // of the lines in slots
}

// build appends the packed array of n hashes to dst.
func (b *builder) build(dst []byte, hashes [][]uint64, n int, g geometry) ([]byte, compress.Shape) {
	b.sortByLine(hashes, n, g)
	b.writer.Reset(g.bucketBits)
	from := 0
	for _, to := range b.ends {
		b.writer.AddLine(b.slots[from:to])
		from = to
	}
	return b.writer.Finish(dst)
}

// sortByLine brings the slots of the same line together, by counting.
func (b *builder) sortByLine(hashes [][]uint64, n int, g geometry) {
	lines, lineSlots := uint64(g.lines), g.lineSlots()
	b.ends = append(b.ends[:0], make([]int, lines)...)
	for _, chunk := range hashes {
		for _, h := range chunk {
			line, _ := place(h, lines, lineSlots)
			b.ends[line]++
		}
	}
	start := 0
	for i, count := range b.ends {
		b.ends[i] = start
		start += count
	}
	if cap(b.slots) < n {
		b.slots = make([]uint32, n)
	}
	b.slots = b.slots[:n]
	for _, chunk := range hashes {
		for _, h := range chunk {
			line, slot := place(h, lines, lineSlots)
			b.slots[b.ends[line]] = uint32(slot)
			b.ends[line]++
		}
	}
}
