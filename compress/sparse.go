package compress

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A Sparse array is a set of slots, queried in place: testing a slot reads 64
// bytes at a known place and, if they do not settle it, one line's cells.
// blockfilter/FORMAT.md has the layout, as that of compressed filters.
//
// Bits are counted where an Elias–Fano code (Elias 1974, Fano 1971) would
// search. Half of the questions about clear slots end at the head of a line,
// and two thirds of the others at level 0. A bucket's slots are a cycle, listed
// from the slot after the longest gap on. That saves 0.28 bits a set slot over
// Elias–Fano.
//
// With x set slots a bucket on average a line takes 512 + 496·(P + r·x) bits, P
// = 1-e^-x: the head, a flag for each set slot, P·r bits of cells at level 0
// and (x-P)·(r-1) above. In 8 bits per set slot that is 0.23 bits above the
// entropy.
//
// A head says how far its line's first cell is from where lines of the average
// length would put it. That distance grows with the root of the number of
// lines: 16 bits suffice for some 10 million set slots in units of one bit.
// Larger or uneven arrays take larger units, and each line begins at a whole
// one.
type Sparse struct {
	Shape Shape
	Data  []byte // of the length that the shape says: see Fits
}

const (
	headBytes  = 64
	offsetBits = 16
	// LineBuckets is the number of buckets of a line: what the head's offset
	// leaves of 512 bits.
	LineBuckets = 8*headBytes - offsetBits
	// MaxBucketBits is the largest [Shape.BucketBits], for which a slot's place
	// in its line just fits 32 bits.
	MaxBucketBits = 23

	pitchFraction = 12
	pitchBits     = 30
)

// A Shape is what one must know to read a sparse array. Its owner keeps it
// beside the array's bytes. From the lowest bit on it has 24 bits for the
// number of lines, 5 for r, 5 for unit and 30 for pitch.
type Shape uint64

// MaxLines is the largest number of lines of an array.
const MaxLines = 1<<24 - 1

func makeShape(lines, bucketBits, unitBits, pitch uint64) Shape {
	return Shape(lines | bucketBits<<24 | unitBits<<29 | pitch<<34)
}

// Lines returns the number of lines.
func (s Shape) Lines() uint64 { return uint64(s) & MaxLines }

// BucketBits returns r: a bucket has 2^r slots.
func (s Shape) BucketBits() uint { return uint(s) >> 24 & 31 }

// LineSlots returns the number of slots in a line.
func (s Shape) LineSlots() uint64 { return LineBuckets << (s.BucketBits() & 31) }

func (s Shape) unitBits() uint { return uint(s) >> 29 & 31 }

func (s Shape) pitch() uint64 { return uint64(s) >> 34 }

// cellBits returns the length of the cells, which follow the heads. The pitch
// gives it, so that a shape has one length.
func (s Shape) cellBits() uint64 {
	return s.pitch() * s.Lines() >> pitchFraction << (s.unitBits() & 63)
}

// Fits reports whether there is such a shape and the data has its length.
// Whether [SparseWriter] wrote the bytes is not checked. It takes constant time.
func (s Sparse) Fits() bool {
	return s.Shape.BucketBits()-1 < MaxBucketBits && s.Shape.Lines() > 0 &&
		uint64(len(s.Data)) == headBytes*s.Shape.Lines()+(s.Shape.cellBits()+7)/8
}

// SparseBits returns the expected bits per key of an array in which each of
// many keys sets one slot, heads included.
func SparseBits(slotsPerKey float64, bucketBits int) float64 {
	bucketSlots := float64(uint(1) << bucketBits)
	keysPerBucket := bucketSlots / slotsPerKey
	set := bucketSlots * -math.Expm1(-1/slotsPerKey)
	notEmpty := -math.Expm1(-keysPerBucket)
	return (8*headBytes/float64(LineBuckets) + notEmpty + float64(bucketBits)*set) / keysPerBucket
}

// Has tells whether a slot of a line is set. It allocates nothing and may be
// called concurrently. A line or slot that the array does not have, or an array
// that contradicts itself or does not fit, gives true; no bytes make it panic.
func (s Sparse) Has(line, slot uint64) bool {
	bit := s.Shape.headBit(slot)
	if !s.Fits() || line >= s.Shape.Lines() || bit >= 8*headBytes {
		return true
	}
	if s.Data[headBytes*line+bit/8]>>(bit%8)&1 == 0 {
		return false
	}
	return s.hasCell(line, slot)
}

// headBit returns the place in its line's head of the bit for a slot's bucket.
func (s Shape) headBit(slot uint64) uint64 { return slot>>(s.BucketBits()&63) + offsetBits }

// hasCell goes on at level 0, where the slot's bucket has a cell.
func (s Sparse) hasCell(line, slot uint64) bool {
	head := (*[headBytes]byte)(s.Data[headBytes*line:])
	at, ok := s.firstCell(line, int16(binary.LittleEndian.Uint16(head[:])))
	if !ok {
		return true
	}
	rank := headRank(head, s.Shape.headBit(slot))
	width := uint64(s.Shape.BucketBits())
	ahead := (slot - loadBits(s.Data, at+rank*width)) & (1<<(width&63) - 1)
	if ahead == 0 {
		return true
	}
	if !s.flag(at, rank) {
		return false
	}
	return s.hasGap(at, rank, headCount(head), ahead)
}

// firstCell returns the bit of the data at which a line's first cell lies, and
// whether that is after the heads.
func (s Sparse) firstCell(line uint64, offset int16) (at uint64, ok bool) {
	start := line*s.Shape.pitch()>>pitchFraction + uint64(offset)
	heads := 8 * headBytes * s.Shape.Lines()
	at = heads + start<<(s.Shape.unitBits()&63)
	return at, at >= heads && at < 8*uint64(len(s.Data))
}

// hasGap goes on above level 0, whose first cell is at bit at. The level has
// count cells, and the bucket's is number rank. The bucket has further cells,
// and the slot asked for lies ahead slots after that cell's slot, 0 < ahead <
// 2^r.
func (s Sparse) hasGap(at, rank, count, ahead uint64) bool {
	gapBits := uint64(s.Shape.BucketBits()) - 1
	for width := gapBits + 1; ; width = gapBits {
		before := countBits(s.Data, at-rank, rank)
		reach := before + countBits(s.Data, at-count, count-rank)
		at += count*width + reach
		if at >= 8*uint64(len(s.Data)) {
			return true
		}
		rank, count = before, reach
		gap := loadBits(s.Data, at+rank*gapBits)&(1<<(gapBits&63)-1) + 1
		if gap >= ahead {
			return gap == ahead
		}
		ahead -= gap
		if !s.flag(at, rank) {
			return false
		}
	}
}

// flag tells whether the bucket with cell number rank reaches the next level.
// The level's first cell is at bit at. The heads before the cells have more
// bits than a level has flags, so the position never is negative.
func (s Sparse) flag(at, rank uint64) bool { return loadBits(s.Data, at-1-rank)&1 != 0 }

// headRank returns how many buckets before that bit of the head have a set
// slot.
func headRank(head *[headBytes]byte, bit uint64) uint64 {
	word := func(i uint64) uint64 { return binary.LittleEndian.Uint64(head[8*i:]) }
	last := bit / 64 % (headBytes / 8)
	rank := bits.OnesCount64(word(last)&(1<<(bit%64)-1)) - bits.OnesCount16(uint16(word(0)))
	for i := range last {
		rank += bits.OnesCount64(word(i))
	}
	return uint64(rank)
}

// headCount returns how many buckets of the line have a set slot.
func headCount(head *[headBytes]byte) uint64 {
	return headRank(head, 8*headBytes-1) + uint64(head[headBytes-1]>>7)
}
