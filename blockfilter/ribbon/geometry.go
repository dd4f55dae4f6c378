package ribbon

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

const (
	// width is the number of neighbouring slots that a row selects from, and
	// the slots of a block.
	width = 64
	// bucketSlots is the number of slots that share a bumping threshold.
	bucketSlots = 128
	// unit is the granularity of tables in slots: a byte a column.
	unit = 8

	// maxColumns bounds the bits of a table's values.
	maxColumns = 32

	// The sizes of the layers are one word: 24 bits for the buckets of the
	// first, 24 for those of the second, 16 for the units of the last.
	bucketBits = 24
	maxBuckets = 1<<bucketBits - 1
	maxLast    = (1<<16 - 1) * unit
)

// geometry is the shape of a table. Its slots are those of the layers, one
// layer after another; a row that starts in the last slots of a layer reaches
// into the next. Slots are stored in blocks of 64, column by column: word j of
// a block holds bit j of its 64 slots. Blocks from wide on have one column
// more than those before. The last block stores only the bytes of a column
// that it has slots for. The buckets' thresholds follow, two bits each.
//
// Queries read these four words from the trailer and compute the rest, which
// costs less than keeping it in a struct that does not fit in registers. The
// methods that need wide take it, so that it is computed once.
type geometry struct {
	sizes   uint64 // of the layers
	columns uint64 // of the blocks before wide
	extra   uint64 // 256ths of the blocks that have one column more
	subSeed uint64 // of the last layer
}

// first returns the number of buckets in the first layer.
func (g geometry) first() uint64 { return g.sizes & maxBuckets }

// second returns the number of buckets in the second layer.
func (g geometry) second() uint64 { return g.sizes >> bucketBits & maxBuckets }

// buckets returns the number of buckets in both bumped layers.
func (g geometry) buckets() uint64 { return g.first() + g.second() }

// last returns the number of slots in the last layer.
func (g geometry) last() uint64 { return g.sizes >> (2 * bucketBits) * unit }

// slots returns the number of slots in all layers.
func (g geometry) slots() uint64 { return g.buckets()*bucketSlots + g.last() }

// full returns the number of complete blocks.
func (g geometry) full() uint64 { return g.slots() / width }

// tail returns the bytes of a column of the incomplete block.
func (g geometry) tail() uint64 { return g.slots() / unit % (width / unit) }

// wide returns the first block that has an extra column, of those that exist.
func (g geometry) wide() uint64 {
	blocks := (g.slots() + width - 1) / width
	return blocks - (blocks*g.extra+128)>>8
}

// columnsOf returns the number of columns of a block.
func (g geometry) columnsOf(block, wide uint64) uint64 {
	if block >= wide {
		return g.columns + 1
	}
	return g.columns
}

// offset returns where a block's bytes start.
func (g geometry) offset(block, wide uint64) uint64 {
	return 8 * (block*g.columns + block - min(block, wide))
}

// thresholds returns where the thresholds start: after a byte of every column
// for each unit.
func (g geometry) thresholds(wide uint64) uint64 {
	units := g.slots() / unit
	return units*g.columns + units - min(units, wide*(width/unit))
}

// size returns the length of the table in bytes.
func (g geometry) size() uint64 { return g.thresholds(g.wide()) + g.thresholdBytes() }

// thresholdBytes returns the length of the thresholds.
func (g geometry) thresholdBytes() uint64 { return (g.buckets() + 3) / 4 }

// firstLayer returns the first bumped layer.
func (g geometry) firstLayer() layer { return layer{starts: g.first() * bucketSlots} }

// secondLayer returns the second bumped layer.
func (g geometry) secondLayer() layer {
	return layer{number: 1, base: g.first() * bucketSlots, starts: g.second() * bucketSlots}
}

// lastLayer returns the layer in which every key has a place that gets there:
// its rows end where it ends.
func (g geometry) lastLayer() layer {
	starts := uint64(1)
	if g.last() > width {
		starts = g.last() - width + 1
	}
	return layer{number: 2 + g.subSeed, base: g.buckets() * bucketSlots, starts: starts}
}

// rowMask returns the coefficients that a row of the last layer may have, all
// 64 unless the table is shorter than a row.
func (g geometry) rowMask() uint64 {
	if n := g.slots(); n < width {
		return 1<<n - 1
	}
	return math.MaxUint64
}

// shape returns what the trailer says of g.
func (g geometry) shape() trailer.Shape {
	return trailer.Shape{
		Family: trailer.Ribbon, Geometry: g.sizes,
		Params: [3]uint8{uint8(g.extra), uint8(g.columns), uint8(g.subSeed)},
	}
}

// parse is the inverse of shape.
func parse(v *trailer.View) geometry {
	// Single loads: a copy of the params costs a query 5 %.
	p := v[trailer.ParamsOffset:]
	return geometry{sizes: v.Geometry(), columns: uint64(p[1]), extra: uint64(p[0]), subSeed: uint64(p[2])}
}

// valid reports whether a table can have g, whatever its size: some columns,
// none too many, and a last layer in which the rows of those before end.
func (g geometry) valid() bool {
	widest := g.columns + (g.extra+255)/256
	return g.columns > 0 && widest <= maxColumns && (g.last() >= width || g.buckets() == 0)
}
