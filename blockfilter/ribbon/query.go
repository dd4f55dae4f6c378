package ribbon

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// MayContain answers for a block of a ribbon filter whether the key of hash h
// may be in its set. It answers true for a block whose trailer does not fit it.
//
// It reads columns in groups of four, and those of an incomplete block as whole
// words. What it reads after the table is in the trailer, and does not count.
func MayContain(block []byte, h uint64) bool {
	body, v, ok := trailer.Split(block)
	if !ok {
		return true
	}
	g := parse(v)
	wide := g.wide()
	thresholds := g.thresholds(wide)
	if thresholds+g.thresholdBytes() != uint64(len(body)) || !g.valid() {
		return true
	}

	// All but a few percent of the queries end in complete blocks of the first
	// layer. Written out for them, a query takes 20 ns where the general form
	// takes 30.
	if slot := keyhash.Scale(h, g.first()*bucketSlots); g.first() > 0 && slot/width+1 < g.full() {
		if slot%bucketSlots >= bumpedBelow(block, thresholds, slot) {
			r := g.reachOf(slot, row(h), wide)
			return r.matches(block, g.offset(r.block, wide), fingerprint(h))
		}
	}
	return g.slots() > 0 && g.matches(block, g.reach(block, h), fingerprint(h))
}

// reach is where a row lies in a table: its coefficients for the slots of a
// block, and those for the next block.
type reach struct {
	block   uint64
	columns uint64
	lo, hi  uint64
}

// reachOf returns where a row that starts at slot lies.
func (g geometry) reachOf(slot, row, wide uint64) reach {
	block := slot / width
	return reach{block, g.columnsOf(block, wide), row << (slot % width), row >> 1 >> (width - 1 - slot%width)}
}

// reach returns where the row of a key lies, in the layer that has it.
func (g geometry) reach(data []byte, h uint64) reach {
	wide := g.wide()
	thresholds := g.thresholds(wide)
	for _, l := range [...]layer{g.firstLayer(), g.secondLayer()} {
		if l.starts > 0 {
			if e := l.equation(h); e.slot%bucketSlots >= bumpedBelow(data, thresholds, e.slot) {
				return g.reachOf(e.slot, e.row, wide)
			}
		}
	}
	e := g.lastLayer().equation(h)
	return g.reachOf(e.slot, e.row&g.rowMask(), wide)
}

// bumpedBelow returns the position in slot's bucket below which keys are
// bumped.
func bumpedBelow(data []byte, thresholds, slot uint64) uint64 {
	bucket := slot / bucketSlots
	return threshold(data[thresholds+bucket/4] >> (bucket % 4 * 2))
}

// matches reports whether the columns at r XOR to want.
func (g geometry) matches(data []byte, r reach, want uint32) bool {
	if r.block+1 < g.full() {
		return r.matches(data, g.offset(r.block, g.wide()), want)
	}
	return (g.edgeValue(data, r)^want)&r.mask() == 0
}

// matchesGeneric stops at the first four columns that do not match: for 15 of
// 16 absent keys at the first.
func (r reach) matchesGeneric(blocks []byte, want uint32) bool {
	next := blocks[8*r.columns:]
	for r.columns > 4 {
		if (parities(blocks, next, r.lo, r.hi)^want)&0xf != 0 {
			return false
		}
		blocks, next = blocks[32:], next[32:]
		want >>= 4
		r.columns -= 4
	}
	return (parities(blocks, next, r.lo, r.hi)^want)&r.mask() == 0
}

// mask has a one for each column.
func (r reach) mask() uint32 { return 1<<r.columns - 1 }

// parities returns the parities of four columns.
func parities(blocks, next []byte, lo, hi uint64) uint32 {
	b, n := (*[32]byte)(blocks), (*[32]byte)(next)
	p := gf2.Parity(word(b[0:])&lo ^ word(n[0:])&hi)
	p |= gf2.Parity(word(b[8:])&lo^word(n[8:])&hi) << 1
	p |= gf2.Parity(word(b[16:])&lo^word(n[16:])&hi) << 2
	return uint32(p | gf2.Parity(word(b[24:])&lo^word(n[24:])&hi)<<3)
}

// edgeValue returns what the columns at r XOR to, for a row that reaches into the
// incomplete block, whose columns have fewer bytes, or ends right before it.
func (g geometry) edgeValue(data []byte, r reach) (value uint32) {
	block, stride, tail := g.offset(r.block, g.wide()), uint64(8), g.tail()
	next := block + 8*r.columns
	if r.block == g.full() {
		next, stride = block, tail
	}
	for j := range r.columns {
		x := word(data[block+j*stride:])&r.lo ^ word(data[next+j*tail:])&r.hi
		value |= uint32(gf2.Parity(x)) << j
	}
	return value
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
