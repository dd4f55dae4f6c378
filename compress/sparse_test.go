package compress

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireHolds compares an array, read from its packed form, with a set of
// slots for each line, asking for every slot that is set and its neighbours,
// and for others at random.
func requireHolds(t *testing.T, lines [][]uint32, bucketBits int) (data []byte, shape Shape) {
	t.Helper()
	var w SparseWriter
	data, shape = packLines(&w, lines, bucketBits)
	// Without spare capacity a read behind the data is out of bounds.
	array := Sparse{shape, bytes.Clone(data)}
	require.True(t, array.Fits())
	random := rand.New(rand.NewPCG(uint64(len(data)), 4))
	size := uint64(LineBuckets) << bucketBits
	require.Equal(t, size, shape.LineSlots())
	for line, slots := range lines {
		set := map[uint32]bool{}
		for _, s := range slots {
			set[s] = true
		}
		ask := func(s uint32) {
			require.Equal(t, set[s], array.Has(uint64(line), uint64(s)), "r=%d line %d of %d slots, slot %d", bucketBits, line, len(slots), s)
		}
		for _, s := range slots {
			ask(s)
			ask(uint32((uint64(s) + 1) % size))
			ask(uint32((uint64(s) + size - 1) % size))
		}
		for range 200 {
			ask(uint32(random.Uint64N(size)))
		}
	}
	return data, shape
}

func TestSparseHoldsExactlyItsSlots(t *testing.T) {
	for r := 1; r <= MaxBucketBits; r++ {
		for _, perLine := range []float64{0, 0.5, 5, 300, 3000} {
			requireHolds(t, randomLines(7, perLine, r, uint64(r)), r)
		}
	}
}

func TestSparseEdges(t *testing.T) {
	last := uint32(LineBuckets<<MaxBucketBits - 1)
	full := make([]uint32, LineBuckets<<3)
	for i := range full {
		full[i] = uint32(i)
	}
	for name, c := range map[string]struct {
		lines      [][]uint32
		bucketBits int
	}{
		"no line":           {nil, 3},
		"empty line":        {[][]uint32{nil}, 3},
		"first slot":        {[][]uint32{{0}}, 1},
		"last slot":         {[][]uint32{{last}}, MaxBucketBits},
		"repeats":           {[][]uint32{{5, 5, 6, 5, 6}, {9, 9}}, 4},
		"opposite slots":    {[][]uint32{{0, 1 << 22}, {1 << 22, 0, 1<<22 + 1}}, MaxBucketBits},
		"every slot":        {[][]uint32{full, nil, full}, 3},
		"every other line":  {[][]uint32{nil, {1, 2, 3}, nil, {4}, nil}, 5},
		"gap over the edge": {[][]uint32{{7, 0, 1}, {6, 7, 8, 9}}, 3},
	} {
		t.Run(name, func(t *testing.T) { requireHolds(t, c.lines, c.bucketBits) })
	}
}

// TestSparseUnevenLines needs offsets that only fit in larger units.
func TestSparseUnevenLines(t *testing.T) {
	lines := randomLines(400, 20, 10, 1)
	for _, i := range []int{0, 1, 200, 399} {
		lines[i] = randomLines(1, 20_000, 10, uint64(i))[0]
	}
	_, shape := requireHolds(t, lines, 10)
	require.Positive(t, shape.unitBits())
}

// TestSparseSize: the size of a million slots varies by 8·1000 bits or 0.1 %,
// and 0.5 % is beyond 5 of that.
func TestSparseSize(t *testing.T) {
	var w SparseWriter
	for _, c := range []struct {
		slots float64
		r     int
	}{{2.7, 1}, {81, 6}, {1700, 10}, {2.5e6, 21}} {
		slots, r, z := c.slots, c.r, SparseBits(c.slots, c.r)
		perLine := float64(uint64(LineBuckets)<<r) / slots
		lines := int(1e6 / perLine)
		data, _ := packLines(&w, randomLines(lines, perLine, r, 5), r)
		require.InEpsilon(t, z, float64(8*len(data))/(float64(lines)*perLine), 0.005)
	}
}

func TestSparseGolden(t *testing.T) {
	lines := randomLines(3, 350, 6, 8)
	var w SparseWriter
	data, shape := packLines(&w, lines, 6)
	got := binary.LittleEndian.AppendUint64(data, uint64(shape))
	require.Equal(t, golden(t, "sparse.packed", got), got)
}

func TestSparseFits(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		bytes int
		ok    bool
	}{
		{makeShape(2, 6, 0, 0), 128, true},
		{makeShape(2, 6, 0, 0), 127, false},
		{makeShape(2, 6, 0, 0), 129, false},
		{makeShape(2, 6, 0, 4<<pitchFraction), 129, true},
		{makeShape(2, 6, 0, 4<<pitchFraction+1<<(pitchFraction-1)), 130, true},
		{makeShape(2, 6, 3, 4<<pitchFraction), 136, true},
		{makeShape(0, 6, 0, 0), 128, false},
		{makeShape(1, 0, 0, 0), 128, false},
		{makeShape(1, MaxBucketBits+1, 0, 0), 128, false},
		{makeShape(MaxLines, 1, 0, 0), 128, false},
	} {
		array := Sparse{c.shape, make([]byte, c.bytes)}
		require.Equal(t, c.ok, array.Fits(), "%+v", c)
		require.Equal(t, !c.ok, array.Has(0, 0), "%+v", c)
	}
}

func TestSparseOutOfRangeIsTrue(t *testing.T) {
	array := Sparse{makeShape(1, 6, 0, 0), make([]byte, 64)}
	require.False(t, array.Has(0, LineBuckets<<6-1))
	require.True(t, array.Has(0, LineBuckets<<6))
	require.True(t, array.Has(0, math.MaxUint32))
	require.True(t, array.Has(1, 0))
}

// TestSparseCellsOutOfRangeAreTrue: the head says that the bucket of slot 5 has
// a set slot, and where its cell lies.
func TestSparseCellsOutOfRangeAreTrue(t *testing.T) {
	for offset, want := range map[int16]bool{-9: true, -1: true, 0: false, 20: false, 31: true, 32: true, math.MaxInt16: true, math.MinInt16: true} {
		data := binary.LittleEndian.AppendUint16(nil, uint16(offset))
		data = append(data, 1)
		data = append(data, make([]byte, headBytes-3)...)
		data = append(data, 0xff, 0, 0, 0xff)
		array := Sparse{makeShape(1, 6, 0, 32<<pitchFraction), data}
		require.Equal(t, want, array.Has(0, 5), "offset %d", offset)
	}
}

func TestSparseAllocatesNothing(t *testing.T) {
	var w SparseWriter
	lines := randomLines(5, 300, 6, 1)
	data, shape := packLines(&w, lines, 6)
	slot := uint64(0)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		Sparse{shape, data}.Has(slot%5, slot)
		slot += 17
	}))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		w.Reset(6)
		for _, slots := range lines {
			w.AddLine(slots)
		}
		data, shape = w.Finish(data[:0])
	}), "a writer keeps its memory")
}

// FuzzSparseHas asks arbitrary bytes of arbitrary shape.
func FuzzSparseHas(f *testing.F) {
	var w SparseWriter
	data, shape := packLines(&w, randomLines(2, 300, 4, 1), 4)
	f.Add(data, uint64(shape), uint64(1), uint64(99))
	f.Add(bytes.Repeat([]byte{0xff}, 200), uint64(makeShape(1, 23, 0, math.MaxUint16)), uint64(0), uint64(77))
	f.Fuzz(func(t *testing.T, data []byte, shape, line, slot uint64) {
		Sparse{Shape(shape), data}.Has(line, slot)
		// The length is the first thing to be checked, so that few mutations
		// get further: ask with a pitch that gives it.
		lines := uint64(1 + len(data)/1024)
		data = append(bytes.Clone(data), make([]byte, max(0, headBytes*int(lines)-len(data)))...)
		bits := 8 * (uint64(len(data)) - headBytes*lines)
		unitBits := uint64(Shape(shape).unitBits()) % 8
		array := Sparse{makeShape(lines, uint64(1+Shape(shape).BucketBits()%MaxBucketBits), unitBits,
			(bits>>unitBits<<pitchFraction)/lines), data}
		array.Data = data[:headBytes*lines+(array.Shape.cellBits()+7)/8]
		require.True(t, array.Fits())
		for i := range uint64(64) {
			array.Has(line, slot+i)
			array.Has(i, slot)
		}
	})
}

// FuzzSparseWriter packs slots cut out of data: four bytes each, of which two
// name the line.
func FuzzSparseWriter(f *testing.F) {
	f.Add([]byte("four bytes for each slot, I said"), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, bits uint8) {
		bucketBits := 1 + int(bits)%MaxBucketBits
		lines := make([][]uint32, 1+len(data)/64)
		for ; len(data) >= 4; data = data[4:] {
			v := binary.LittleEndian.Uint32(data)
			line := int(v>>24) % len(lines)
			lines[line] = append(lines[line], uint32(uint64(v)<<8%(LineBuckets<<bucketBits)))
		}
		requireHolds(t, lines, bucketBits)
	})
}
