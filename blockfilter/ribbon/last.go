package ribbon

import (
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

// The sub-seeds of a last layer. Its first size has n/lastSlack slots more than
// equations, which works for most tables; after triesPerSize sub-seeds it
// grows by 1/lastGrowth.
const (
	maxTries     = 256
	triesPerSize = 4
	lastSlack    = 50
	lastGrowth   = 64

	// lastChunk is the number of equations that are made at once.
	lastChunk = 256
)

// addLast inserts all keys into a last layer that has room for all of them. It
// returns g with the size and sub-seed that it found for the layer, or false if
// maxTries sub-seeds did not do.
func (b *builder) addLast(g geometry, hashes [][]uint64) (geometry, bool) {
	base := g.buckets() * bucketSlots
	spill := b.spill(base)
	n := uint64(keyhash.Count(hashes)) + spill.used
	slots := roundUp(n+n/lastSlack, unit)
	if base > 0 {
		slots = max(slots, width) // where rows of the layer before end
	}
	bumped := g.sizes
	for try := range uint64(maxTries) {
		if try > 0 && try%triesPerSize == 0 {
			slots += roundUp(slots/lastGrowth, unit)
		}
		if slots > maxLast {
			break
		}
		g.sizes, g.subSeed = bumped|slots/unit<<(2*bucketBits), try
		b.resize(base)
		b.resize(base + max(slots, width))
		copy(b.rows[base:], spill.rows[:])
		copy(b.values[base:], spill.values[:])
		if b.addAll(g, hashes) {
			return g, true
		}
	}
	return g, false
}

// addAll inserts keys into the last layer and reports whether all had room.
func (b *builder) addAll(g geometry, hashes [][]uint64) bool {
	l, mask := g.lastLayer(), g.rowMask()
	for _, chunk := range hashes {
		for some := range slices.Chunk(chunk, lastChunk) {
			p := &b.bucket[0]
			p.reset(lastChunk)
			for _, h := range some {
				e := l.equation(h)
				p.left.append(uint32(e.slot-l.base), e.row&mask, e.value)
			}
			if !b.insertAllGeneric(p, l.base) {
				return false
			}
		}
	}
	return true
}

// spill is what rows of the layer before took of the last layer's slots.
type spill struct {
	rows   [width]uint64
	values [width]uint32
	used   uint64
}

func (b *band) spill(base uint64) (s spill) {
	copy(s.rows[:], b.rows[base:])
	copy(s.values[:], b.values[base:])
	for _, row := range s.rows {
		if row != 0 {
			s.used++
		}
	}
	return s
}

// roundUp returns the least multiple of to that is not below n, but at least
// to.
func roundUp(n, to uint64) uint64 { return max(n+to-1, to) / to * to }
