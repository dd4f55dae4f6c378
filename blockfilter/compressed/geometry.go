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

// geometry returns the array for n keys: the best of BitsPerKey, or the best
// that stays within maxBytes but in one block of 10⁹. It does not depend on the
// keys, so equal policies write equal arrays.
func (c Config) geometry(n, maxBytes int) geometry {
	storedBits := trailer.FitBits(c.BitsPerKey+inPlaceBits, n, maxBytes)
	for {
		g := bestGeometry(n, storedBits)
		size := g.expectedSize(n) + g.sizeMargin(n)
		if maxBytes <= 0 || size <= float64(maxBytes) || g == smallest {
			return g
		}
		storedBits *= min(0.999, float64(maxBytes)/size)
	}
}

// bestGeometry returns the smallest array that lets no more absent keys through
// than a large one of storedBits per key.
//
// Only tables of a few hundred keys have a choice: the number of lines is
// whole, and one line too many costs more than narrower buckets save.
func bestGeometry(keys int, storedBits float64) (best geometry) {
	slotsPerKey, planned := mostSlots(storedBits)
	slots := float64(keys) * slotsPerKey
	least := math.Inf(1)
	for r := max(planned-2, 1); r <= min(planned+2, compress.MaxBucketBits); r++ {
		g := geometry{bucketBits: r}
		g.lines = max(1, min(int(math.Ceil(slots/float64(g.lineSlots()))), compress.MaxLines))
		size := float64(keys) * compress.SparseBits(g.slots()/float64(max(keys, 1)), r)
		if size < least {
			best, least = g, size
		}
	}
	return best
}

// mostSlots returns the slots per key and the bucket bits of the array of most
// slots in the given bits per key. Each of many keys sets one slot, so that
// 1−e^(−1/slots) of absent keys meet a set one.
//
// The work of a query is one line however many slots the array has, so one slot
// for each key is best at every size: in 8 bits per key 1.20 % of absent keys
// pass, where two slots would let 2.65 % pass and three 4.38 %.
func mostSlots(bitsPerKey float64) (slots float64, bucketBits int) {
	// The best r lies 0.8 to 2.4 below the bits per key, or is 1.
	least := max(1, min(int(bitsPerKey)-3, compress.MaxBucketBits))
	most := max(1, min(int(bitsPerKey), compress.MaxBucketBits))
	for r := least; r <= most; r++ {
		// n keys in m ≥ 1 slots each take more than log2(m) bits.
		low, high := 0.0, math.Exp2(bitsPerKey)
		for range 50 {
			middle := low + (high-low)/2
			if compress.SparseBits(middle, r) <= bitsPerKey {
				low = middle
			} else {
				high = middle
			}
		}
		if low > slots {
			slots, bucketBits = low, r
		}
	}
	return slots, bucketBits
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

// sizeMargin bounds by how many bytes a block exceeds the expected size. From 1
// to 100,000 keys, and from 0.5 to 24 bits per key, the standard deviation is
// at most 0.12·√n bytes, and less where there are fewer slots than keys.
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
