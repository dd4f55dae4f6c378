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
	heads []byte
	cells []byte
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
// questions can be asked; whether the bytes are an array that [SparseWriter] wrote is not checked.
func OpenSparse(data []byte, shape Shape) (Sparse, error) {
	if shape.BucketBits < 1 || shape.BucketBits > MaxBucketBits || shape.Lines == 0 {
		return Sparse{}, fmt.Errorf("%w: sparse array of %d lines, %d bucket bits; want 1 or more, 1 to %d",
			ErrCorrupt, shape.Lines, shape.BucketBits, MaxBucketBits)
	}
	heads := headBytes * int(shape.Lines)
	if len(data) < heads {
		return Sparse{}, fmt.Errorf("%w: sparse array of %d lines in %d bytes; want %d or more",
			ErrCorrupt, shape.Lines, len(data), heads)
	}
	return Sparse{shape: shape, heads: data[:heads], cells: data[heads:]}, nil
}

// Has tells whether a slot of a line is set. It allocates nothing and may be called concurrently. A line or slot that
// the array does not have, or an array that contradicts itself, gives true; no bytes make it panic.
func (s *Sparse) Has(line, slot uint32) bool {
	bit := uint64(slot>>s.shape.BucketBits) + offsetBits
	if line >= s.shape.Lines || bit >= 8*headBytes {
		return true
	}
	head := (*[headBytes]byte)(s.heads[headBytes*uint64(line):])
	if head[bit/8]>>(bit%8)&1 == 0 {
		return false
	}
	return s.hasCell(head, line, slot, bit)
}

// hasCell goes on at level 0, where the slot's bucket has a cell. Its bit in the head is given.
func (s *Sparse) hasCell(head *[headBytes]byte, line, slot uint32, bit uint64) bool {
	offset := int64(int16(binary.LittleEndian.Uint16(head[:])))
	start := int64(uint64(line)*uint64(s.shape.pitch)>>pitchFraction) + offset
	at := uint64(start) << s.shape.unitBits
	rank := headRank(head, bit)
	if start < 0 || at >= 8*uint64(len(s.cells)) || rank >= at {
		return true
	}
	width := uint64(s.shape.BucketBits)
	ahead := (uint64(slot) - loadBits(s.cells, at+rank*width)) & (1<<width - 1)
	if ahead == 0 {
		return true
	}
	return s.flag(at, rank) && s.hasGap(at, rank, headRank(head, 8*headBytes), ahead)
}

// hasGap goes on above level 0, whose first cell is at the given bit and which has count cells, of which the bucket's is
// number rank. The slot lies ahead of that cell's slot, 0 < ahead < 2^r, and the bucket has further cells.
func (s *Sparse) hasGap(at, rank, count, ahead uint64) bool {
	if count > at {
		return true
	}
	for width := uint64(s.shape.BucketBits); ; width = uint64(s.shape.BucketBits) - 1 {
		before := countBits(s.cells, at-rank, rank)
		reach := before + countBits(s.cells, at-count, count-rank)
		at += count*width + reach
		if at >= 8*uint64(len(s.cells)) {
			return true
		}
		rank, count = before, reach
		gap := loadBits(s.cells, at+rank*(uint64(s.shape.BucketBits)-1))&(1<<(s.shape.BucketBits-1)-1) + 1
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
func (s *Sparse) flag(at, rank uint64) bool { return loadBits(s.cells, at-1-rank)&1 != 0 }

// headRank returns how many buckets before that bit of the head have a set slot.
func headRank(head *[headBytes]byte, bit uint64) (rank uint64) {
	rank = uint64(bits.OnesCount64(binary.LittleEndian.Uint64(head[:]) & (1<<bit - 1) >> offsetBits))
	for i := 8; i < headBytes; i += 8 {
		// A mask of none, some or all of the word's bits: a branch on the bucket would be mispredicted half of the time.
		below := uint64(1)<<uint64(max(int64(bit)-8*int64(i), 0)) - 1
		rank += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(head[i:]) & below))
	}
	return rank
}
