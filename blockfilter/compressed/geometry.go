package compressed

import (
	"math"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// geometry is the size of a filter's array.
type geometry struct {
	lines      int
	bucketBits int
}

// smallest takes at most 282 bytes.
var smallest = geometry{lines: 1, bucketBits: 1}

// geometryFor returns the smallest array that lets no more absent keys through
// than a large one of storedBits per key.
//
// Only tables of a few hundred keys have a choice: the number of lines is
// whole, and one line too many costs more than narrower buckets save.
func geometryFor(keys int, storedBits float64) geometry {
	slotsPerKey, planned := compress.PlanSparse(storedBits)
	slots := float64(keys) * slotsPerKey
	var best geometry
	least := math.Inf(1)
	for r := max(planned-2, 1); r <= min(planned+2, compress.MaxBucketBits); r++ {
		g := geometry{bucketBits: r}
		g.lines = max(1, min(int(math.Ceil(slots/float64(g.lineSlots()))), compress.MaxLines))
		size := float64(keys) * compress.SparseBits(float64(g.lines)*float64(g.lineSlots())/float64(max(keys, 1)), r)
		if size < least {
			best, least = g, size
		}
	}
	return best
}

// geometryOf returns the size of an array of that shape.
func geometryOf(s compress.Shape) geometry { return geometry{int(s.Lines()), int(s.BucketBits())} }

// slots returns the number of slots in all lines.
func (g geometry) slots() float64 { return float64(g.lines) * float64(g.lineSlots()) }

// expectedSize returns the mean size of a block of n keys in bytes.
func (g geometry) expectedSize(n int) float64 {
	if n == 0 {
		return trailer.Size + 64*float64(g.lines)
	}
	return trailer.Size + 0.5 + float64(n)*compress.SparseBits(g.slots()/float64(n), g.bucketBits)/8
}

// sizeMargin is more than a block's size exceeds the expected one by. From 1 to
// 100,000 keys, and from 0.5 to 24 bits per key, the standard deviation is at
// most 0.12·√n bytes, and less where there are fewer slots than keys.
func (g geometry) sizeMargin(n int) float64 { return 2 + 0.8*math.Sqrt(min(float64(n), g.slots())) }

// lineSlots returns the number of slots in a line.
func (g geometry) lineSlots() uint64 { return compress.LineBuckets << g.bucketBits }

// place returns the line and slot of a key hash in an array of that many lines
// of lineSlots slots. Both are a multiply-shift: the line takes the hash's high
// part, the slot what that leaves.
func place(h, lines, lineSlots uint64) (line, slot uint64) {
	line, rest := bits.Mul64(h, lines)
	slot, _ = bits.Mul64(rest, lineSlots)
	return line, slot
}
