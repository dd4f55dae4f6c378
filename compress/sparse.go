package compress

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A Sparse array is a set of slots, queried in place: testing a slot reads 64 bytes at a known place and, if they do not
// settle it, one line's cells.
//
// The array is cut into lines of [LineBuckets] buckets, and a bucket into 2^r slots. A bucket has about 0.7 set slots. A
// line is stored as a head and levels:
//
//	head    64 bytes at 64·line: a 16-bit offset, then for each bucket a bit: has it a set slot?
//	level 0 for each such bucket, a flag: has it a second? and a cell of r bits: its first slot
//	level 1 for each bucket with a second, a flag: has it a third? and a cell of r-1 bits: the gap less 1
//	level 2 the same for each bucket with a third, and so on
//
// A bucket's place in a level is the number of buckets before it that reach the level, so bits are counted where an
// Elias–Fano code (Elias 1974, Fano 1971) would search. The flags of a level come in front of its cells, last bucket first:
// seen from the level's first cell, both are found without knowing how many there are. Half of the questions about
// clear slots end at the head, and 70 % of the others at level 0.
//
// A bucket's slots are a cycle. They are listed from the slot after the longest gap on, so that every gap stored is at most
// half the cycle and takes r-1 bits. That saves 0.28 bits a set slot over Elias–Fano: c slots have c! orders, and a bit
// less for each but the first is c-1 of the log2 c! bits that an ordered list wastes.
//
// With x set slots a bucket on average a line takes 512 + 496·(P + r·x) bits, P = 1-e^-x: the head, a flag for each set
// slot, P·r bits of cells at level 0 and (x-P)·(r-1) above. In 8 bits per set slot that is 0.23 bits above the entropy.
//
// A line's first cell is at bit (line·pitch/2^12 + offset)·2^unit behind the heads: the signed offset holds only the
// deviation from the average line. It grows with the root of the number of lines: 16 bits suffice for about 3 million set
// slots in units of one bit; larger or uneven arrays take larger units and fill up to the next.
type Sparse struct {
	shape Shape
	data  []byte
}

const (
	headBytes  = 64
	offsetBits = 16
	// LineBuckets is the number of buckets of a line: what the head's offset leaves of 512 bits.
	LineBuckets = 8*headBytes - offsetBits
	// MaxBucketBits is the largest Shape.BucketBits, for which a slot's place in its line just fits 32 bits.
	MaxBucketBits = 23

	pitchFraction = 12
)

// A Shape is what one must know to read a sparse array, packed by its owner with [Shape.Pack] beside the array's bytes.
type Shape struct {
	Lines      uint32 // at most 2^24-1
	BucketBits uint8  // r: a bucket has 2^r slots, 1 <= r <= MaxBucketBits
	unitBits   uint8
	pitch      uint32
}

const (
	linesBits      = 24
	bucketBitsBits = 5
	unitBitsBits   = 5
	pitchBits      = 64 - linesBits - bucketBitsBits - unitBitsBits
)

// LineSlots returns the number of slots in a line.
func (s Shape) LineSlots() uint64 { return LineBuckets << s.BucketBits }

// Pack returns the shape in 64 bits.
func (s Shape) Pack() uint64 {
	return uint64(s.Lines) | uint64(s.BucketBits)<<linesBits | uint64(s.unitBits)<<(linesBits+bucketBitsBits) |
		uint64(s.pitch)<<(64-pitchBits)
}

// UnpackShape is the inverse of [Shape.Pack]. Any 64 bits give a shape; [OpenSparse] tells the impossible ones.
func UnpackShape(packed uint64) Shape {
	return Shape{
		Lines:      uint32(packed & (1<<linesBits - 1)),
		BucketBits: uint8(packed >> linesBits & (1<<bucketBitsBits - 1)),
		unitBits:   uint8(packed >> (linesBits + bucketBitsBits) & (1<<unitBitsBits - 1)),
		pitch:      uint32(packed >> (64 - pitchBits)),
	}
}

// OpenSparse returns the array of that shape in data, which it keeps a reference to. It checks in constant time that
// questions can be asked, and allocates nothing; whether [SparseWriter] wrote the bytes is not checked.
func OpenSparse(data []byte, shape Shape) (Sparse, error) {
	if shape.BucketBits < 1 || shape.BucketBits > MaxBucketBits || shape.Lines == 0 {
		return Sparse{}, errShape
	}
	if len(data) < headBytes*int(shape.Lines) {
		return Sparse{}, errHeads
	}
	return Sparse{shape, data}, nil
}

// Made once: to refuse an array must not allocate any more than to read one.
var (
	errShape = fmt.Errorf("%w: sparse array of 0 lines, or of bucket bits outside 1 to %d", ErrCorrupt, MaxBucketBits)
	errHeads = fmt.Errorf("%w: sparse array shorter than the heads of its lines", ErrCorrupt)
)

// Shape returns the shape that the array was opened with.
func (s *Sparse) Shape() Shape { return s.shape }

// Has tells whether a slot of a line is set. It allocates nothing and may be called concurrently. A line or slot that
// the array does not have, or an array that contradicts itself, gives true; no bytes make it panic.
func (s *Sparse) Has(line, slot uint32) bool {
	bit := s.shape.headBit(slot)
	if line >= s.shape.Lines || bit >= 8*headBytes {
		return true
	}
	if s.head(line)[bit/8]>>(bit%8)&1 == 0 {
		return false
	}
	return s.hasCell(line, slot)
}

// headBit returns the place in its line's head of the bit for a slot's bucket.
func (s Shape) headBit(slot uint32) uint64 { return uint64(slot>>s.BucketBits) + offsetBits }

func (s *Sparse) head(line uint32) *[headBytes]byte {
	return (*[headBytes]byte)(s.data[headBytes*uint64(line):])
}

// firstCell returns the bit of the data at which a line's first cell lies, and whether that is behind the heads.
func (s *Sparse) firstCell(line uint32) (at uint64, ok bool) {
	offset := uint64(int16(binary.LittleEndian.Uint16(s.head(line)[:])))
	start := uint64(line)*uint64(s.shape.pitch)>>pitchFraction + offset
	heads := 8 * headBytes * uint64(s.shape.Lines)
	at = heads + start<<s.shape.unitBits
	return at, at >= heads && at < 8*uint64(len(s.data))
}

// hasCell goes on at level 0, where the slot's bucket has a cell.
func (s *Sparse) hasCell(line, slot uint32) bool {
	at, ok := s.firstCell(line)
	if !ok {
		return true
	}
	rank := headRank(s.head(line), s.shape.headBit(slot))
	width := uint64(s.shape.BucketBits)
	ahead := (uint64(slot) - loadBits(s.data, at+rank*width)) & (1<<width - 1)
	if ahead == 0 {
		return true
	}
	if !s.flag(at, rank) {
		return false
	}
	return s.hasGap(at, rank, headCount(s.head(line)), ahead)
}

// hasGap goes on above level 0, whose first cell is at the given bit and which has count cells, of which the bucket's is
// number rank. The slot lies ahead of that cell's slot, 0 < ahead < 2^r, and the bucket has further cells.
func (s *Sparse) hasGap(at, rank, count, ahead uint64) bool {
	gapBits := uint64(s.shape.BucketBits) - 1
	for width := gapBits + 1; ; width = gapBits {
		before := countBits(s.data, at-rank, rank)
		reach := before + countBits(s.data, at-count, count-rank)
		at += count*width + reach
		if at >= 8*uint64(len(s.data)) {
			return true
		}
		rank, count = before, reach
		gap := loadBits(s.data, at+rank*gapBits)&(1<<gapBits-1) + 1
		if gap >= ahead {
			return gap == ahead
		}
		ahead -= gap
		if !s.flag(at, rank) {
			return false
		}
	}
}

// flag tells whether the bucket with cell number rank, of a level whose first cell is at that bit, reaches the next level.
// The heads before the cells have more bits than a level has flags, so the position never is negative.
func (s *Sparse) flag(at, rank uint64) bool { return loadBits(s.data, at-1-rank)&1 != 0 }

// headRank returns how many buckets before that bit of the head have a set slot.
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
