package compress

import (
	"encoding/binary"
	"math"
	"slices"
)

// SparseWriter packs a [Sparse] array, line by line. It owns all scratch memory
// and keeps it between arrays. It must be reset before the first line and must
// not be used concurrently.
type SparseWriter struct {
	bucketBits uint
	heads      [][headBytes / 8]uint64
	cells      bitWriter // each line's from a new byte on
	sizes      []lineSize

	// Of the line being added: the slots bucket by bucket, and the buckets that
	// reach the level being written.
	sorted  []uint32
	reached []bucketRun
}

// bucketRun is a bucket whose cells still to be written are sorted[from:to].
type bucketRun struct{ from, to uint32 }

// lineSize is the number of bits of a line before its first cell, which are
// flags, and from there on.
type lineSize struct{ flags, rest uint64 }

// Reset begins an array with buckets of 2^bucketBits slots, 1 <= bucketBits <=
// [MaxBucketBits].
func (w *SparseWriter) Reset(bucketBits int) {
	w.bucketBits = uint(bucketBits)
	w.heads, w.sizes = w.heads[:0], w.sizes[:0]
	w.cells = bitWriter{buf: w.cells.buf[:0]}
}

// AddLine adds the next line, in which the given slots are set. They may come
// in any order and more than once; each is below [LineBuckets]<<bucketBits. It
// takes about 10 ns a slot.
func (w *SparseWriter) AddLine(slots []uint32) {
	w.heads = append(w.heads, w.sortBuckets(slots))
	begin, flags := len(w.cells.buf), uint64(len(w.reached))
	for width := w.bucketBits; len(w.reached) > 0; width = w.bucketBits - 1 {
		w.writeLevel(width)
	}
	w.sizes = append(w.sizes, lineSize{flags, 8*uint64(len(w.cells.buf)-begin) + uint64(w.cells.fill) - flags})
	w.cells.flush()
}

// writeLevel writes one level of cells and keeps the buckets that reach the
// next.
func (w *SparseWriter) writeLevel(width uint) {
	for _, run := range slices.Backward(w.reached) {
		more := (1 - uint64(run.to-run.from)) >> 63
		w.cells.write(more, 1)
	}
	next := w.reached[:0]
	for _, run := range w.reached {
		w.cells.write(uint64(w.sorted[run.from]), width)
		if run.from++; run.from < run.to {
			next = append(next, run)
		}
	}
	w.reached = next
}

// sortBuckets turns slots into cells, bucket by bucket, and returns the line's
// head without its offset.
func (w *SparseWriter) sortBuckets(slots []uint32) (head [headBytes / 8]uint64) {
	var ends [LineBuckets]uint32
	for _, s := range slots {
		ends[s>>w.bucketBits]++
	}
	var total uint32
	for i, n := range ends {
		ends[i] = total
		total += n
	}
	w.sorted = slices.Grow(w.sorted[:0], len(slots))[:len(slots)]
	for _, s := range slots {
		bucket := s >> w.bucketBits
		w.sorted[ends[bucket]] = s & (1<<w.bucketBits - 1)
		ends[bucket]++
	}
	// Whether a bucket has slots is a coin toss that no processor predicts:
	// hence arithmetic instead of branches.
	w.reached = slices.Grow(w.reached[:0], LineBuckets+1)[:LineBuckets+1]
	var from uint32
	count := 0
	for i, to := range ends {
		w.reached[count] = bucketRun{from, to}
		some := (uint64(from) - uint64(to)) >> 63
		head[(i+offsetBits)/64] |= some << ((i + offsetBits) % 64)
		count += int(some)
		from = to
	}
	w.reached = w.reached[:count]
	for i := range w.reached {
		if run := &w.reached[i]; run.to-run.from > 1 {
			run.to = run.from + uint32(cyclicGaps(w.sorted[run.from:run.to], uint32(1)<<w.bucketBits))
		}
	}
	return head
}

// cyclicGaps replaces the slots of a bucket of the given size with its cells:
// the slot after the longest gap, then for each further one the gap before it,
// less 1. It returns their number, smaller than len(slots) where slots repeat.
func cyclicGaps(slots []uint32, size uint32) int {
	slices.Sort(slots)
	slots = slices.Compact(slots)
	last := len(slots) - 1
	longest, after := slots[0]+size-slots[last], 0
	for i := range last {
		if gap := slots[i+1] - slots[i]; gap > longest {
			longest, after = gap, i+1
		}
	}
	rotate(slots, after)
	previous := slots[0]
	for i, s := range slots[1:] {
		slots[i+1] = (s - previous - 1) & (size - 1)
		previous = s
	}
	return len(slots)
}

// rotate moves slots[n:] before slots[:n].
func rotate(slots []uint32, n int) {
	if n > 0 {
		slices.Reverse(slots[:n])
		slices.Reverse(slots[n:])
		slices.Reverse(slots)
	}
}

// Finish appends the array to dst and returns it with its shape. An array of no
// line is given an empty one.
func (w *SparseWriter) Finish(dst []byte) ([]byte, Shape) {
	if len(w.heads) == 0 {
		w.AddLine(nil)
	}
	shape := w.place()
	for i := range w.heads {
		for _, word := range w.heads[i] {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		}
	}
	out := bitWriter{buf: dst}
	cells, at := w.cells.buf, uint64(0)
	for _, size := range w.sizes {
		first := roundUp(at+size.flags, shape.unitBits())
		out.writeZeros(first - size.flags - at)
		bytes := (size.flags + size.rest + 7) / 8
		out.writeBits(cells[:bytes], size.flags+size.rest)
		cells, at = cells[bytes:], first+size.rest
	}
	out.writeZeros(shape.cellBits() - at)
	out.flush()
	return out.buf, shape
}

// place finds the smallest unit in which each line's deviation fits its head,
// and writes the offsets there.
func (w *SparseWriter) place() Shape {
	for unitBits := uint(0); ; unitBits++ {
		if pitch, ok := w.tryUnit(unitBits); ok {
			return makeShape(uint64(len(w.heads)), uint64(w.bucketBits), uint64(unitBits), pitch)
		}
	}
}

// tryUnit writes the offsets in that unit and returns the pitch, and tells
// whether all fit.
func (w *SparseWriter) tryUnit(unitBits uint) (pitch uint64, ok bool) {
	var end uint64
	for _, size := range w.sizes {
		end = roundUp(end+size.flags, unitBits) + size.rest
	}
	// Rounded up, so that [Shape.cellBits] reaches the end.
	lines := uint64(len(w.sizes))
	pitch = (roundUp(end, unitBits)>>unitBits<<pitchFraction + lines - 1) / lines
	if pitch >= 1<<pitchBits {
		return 0, false
	}
	var at uint64
	for i, size := range w.sizes {
		at = roundUp(at+size.flags, unitBits)
		offset := int64(at>>unitBits) - int64(uint64(i)*pitch>>pitchFraction)
		if offset != int64(int16(offset)) {
			return 0, false
		}
		w.heads[i][0] = w.heads[i][0]&^math.MaxUint16 | uint64(uint16(offset))
		at += size.rest
	}
	return pitch, true
}

// roundUp returns the next multiple of 2^unitBits.
func roundUp(at uint64, unitBits uint) uint64 { return (at + 1<<unitBits - 1) >> unitBits << unitBits }
