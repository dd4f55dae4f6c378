package policy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/FastFilter/xorfilter"
	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"
)

// fuse is a binary fuse filter (Graf and Lemire, "Binary Fuse Filters", 2022)
// of FastFilter/xorfilter as a filter policy. Keys are hashed with XXH3,
// unseeded; the filter mixes the hash with a seed of its own.
//
// A block is the fingerprints in the machine's byte order and the fields of
// xorfilter.BinaryFuse. MayContain makes one of them on the stack, pointing
// into the block.
type fuse[T uint8 | uint16] struct{}

// fuseTrailer is the size of the fields after the fingerprints: the seed, the
// segment length and the segment count.
const fuseTrailer = 8 + 4 + 4

// Name implements pebble.FilterPolicy.
func (fuse[T]) Name() string { return "binaryfuse" }

// NewWriter implements pebble.FilterPolicy.
func (fuse[T]) NewWriter(pebble.FilterType) pebble.FilterWriter {
	return &fuseWriter[T]{fuseScratches.Get().(*fuseScratch)}
}

// MayContain implements pebble.FilterPolicy.
func (fuse[T]) MayContain(_ pebble.FilterType, block, key []byte) bool {
	n := len(block) - fuseTrailer
	if n <= 0 {
		return true
	}
	trailer := block[n:]
	length := binary.LittleEndian.Uint32(trailer[8:])
	count := binary.LittleEndian.Uint32(trailer[12:])
	fingerprints := n / int(unsafe.Sizeof(T(0)))
	if uint64(fingerprints) != (uint64(count)+2)*uint64(length) {
		return true
	}
	// One by one: a literal would be built elsewhere and copied with loads that
	// are wider than the stores just before them, which stalls the processor.
	var f xorfilter.BinaryFuse[T]
	f.Seed = binary.LittleEndian.Uint64(trailer)
	f.SegmentLength = length
	f.SegmentLengthMask = length - 1
	f.SegmentCount = count
	f.SegmentCountLength = count * length
	f.Fingerprints = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(block))), fingerprints)
	return f.Contains(xxh3.Hash(key))
}

// fuseScratch is what the library lets a writer keep from table to table.
type fuseScratch struct {
	chunks  [][]uint64 // of hashes; those after the current one are empty
	current int
	builder xorfilter.BinaryFuseBuilder
}

// fuseChunk is the number of hashes in a chunk.
const fuseChunk = 4096

var fuseScratches = sync.Pool{New: func() any { return new(fuseScratch) }}

type fuseWriter[T uint8 | uint16] struct{ *fuseScratch }

// AddKey implements pebble.FilterWriter.
func (w *fuseWriter[T]) AddKey(key []byte) {
	if w.current < len(w.chunks) && len(w.chunks[w.current]) == fuseChunk {
		w.current++
	}
	if w.current == len(w.chunks) {
		w.chunks = append(w.chunks, make([]uint64, 0, fuseChunk))
	}
	chunk := &w.chunks[w.current]
	*chunk = append(*chunk, xxh3.Hash(key))
}

// Finish implements pebble.FilterWriter. The block is empty, which excludes no
// key, if the filter cannot be built.
func (w *fuseWriter[T]) Finish(dst []byte) []byte {
	f, err := xorfilter.BuildBinaryFuse[T](&w.builder, slices.Concat(w.chunks...))
	if err == nil {
		data := unsafe.Pointer(unsafe.SliceData(f.Fingerprints))
		dst = append(dst, unsafe.Slice((*byte)(data), len(f.Fingerprints)*int(unsafe.Sizeof(T(0))))...)
		dst = binary.LittleEndian.AppendUint64(dst, f.Seed)
		dst = binary.LittleEndian.AppendUint32(dst, f.SegmentLength)
		dst = binary.LittleEndian.AppendUint32(dst, f.SegmentCount)
	}
	for i := range w.chunks {
		w.chunks[i] = w.chunks[i][:0]
	}
	w.current = 0
	fuseScratches.Put(w.fuseScratch)
	return dst
}

// Filter is one policy for all levels and its text.
type Filter struct {
	Text string
	pebble.FilterPolicy
}

// fuses are peers that no store uses.
var fuses = map[string]pebble.FilterPolicy{
	"binaryfuse:8":  fuse[uint8]{},
	"binaryfuse:16": fuse[uint16]{},
}

// ParseFilter reads one policy: those that Parse reads, and binaryfuse with
// fingerprints of 8 or 16 bits.
func ParseFilter(text string) (Filter, error) {
	if f, ok := fuses[text]; ok {
		return Filter{text, f}, nil
	}
	p, err := Parse(text)
	if err != nil {
		return Filter{}, fmt.Errorf("%w, or binaryfuse:8 or binaryfuse:16", err)
	}
	for _, level := range p.Plan.Levels[1:] {
		if fmt.Sprint(level) != fmt.Sprint(p.Plan.Levels[0]) {
			return Filter{}, fmt.Errorf("%q is a level plan; name one policy, such as bloom:10", text)
		}
	}
	return Filter{p.Text, p.Plan.Levels[0]}, nil
}
