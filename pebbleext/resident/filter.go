package resident

import (
	"sync/atomic"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
)

// filter is a filter that tables of the store have, in memory or not.
type filter struct {
	head
	// last is at or after the last prefix of all the tables' keys, nil if that
	// is unknown.
	last []byte

	// block is the first byte of the block in memory, nil without one. It is
	// read with a pin held.
	block atomic.Pointer[byte]
	// held is the block's length. It changes while block is nil and no pin is
	// held that was taken before.
	held int
	// Queries since they were last counted, as far as they are sampled.
	asked, answered, denied atomic.Uint64

	mu filterState
}

// filterState is what Filters.mu guards of a filter.
type filterState struct {
	offset int // of the block in the arena
	use    use
	seen   bool    // a block, which tells the next two; until then they are guesses
	keys   float64 // of the block
	most   float64 // bits a key of the block in the table, 0 if it cannot be cut
	bits   float64 // of these, in memory; that of a block that cannot be cut is its size
	tables int     // of the store that have it, as far as known
	level  int     // the upmost of them
	file   uint64  // of one of them
	born   int     // turn in which it came
	retry  int     // turn from which on it may be loaded, after a failure
}

const (
	unknownLevel = -1
	numLevels    = len(pebble.Options{}.Levels)

	tableFilter = pebble.TableFilter
)

// isResident reports whether the block is in memory.
func (e *filter) isResident() bool { return e.block.Load() != nil }

// takes returns the bytes of memory that the block takes.
func (e *filter) takes() int {
	if !e.isResident() {
		return 0
	}
	return roundUp(e.held)
}

// bytes returns the block, which begins at first.
func (e *filter) bytes(first *byte) []byte { return unsafe.Slice(first, e.held) }

func (e *filter) mayContain(first *byte, key []byte) bool {
	return e.policy.MayContain(tableFilter, e.bytes(first), key)
}

// shape is what the blocks of a store's filters are like.
type shape struct{ perKey, most float64 } // bits a key, and those that can be cut

// usualShape is that of filters of which none was seen.
var usualShape = shape{10, 10}

// guess makes a filter of which no block was seen one of that shape.
func (e *filter) guess(like shape) {
	e.mu.keys, e.mu.most = float64(e.size)*8/like.perKey, like.most
}

// describe notes what a block of the filter, cut or not, says of it, and returns
// its shape.
func (e *filter) describe(block []byte) shape {
	e.mu.seen = true
	e.guess(shape{perKey: usualShape.perKey})
	if info, err := blockfilter.Describe(block); err == nil && info.Keys > 0 {
		e.mu.keys = float64(info.Keys)
	}
	if base, each, ok := sizes(block); ok {
		e.mu.most = (float64(e.size) - base) / each
	}
	return shape{float64(e.size) * 8 / e.mu.keys, e.mu.most}
}

// sizes returns the bytes of a block cut to b bits a key as base + b · each.
func sizes(block []byte) (base, each float64, ok bool) {
	one, err := blockfilter.CutSize(block, 1)
	two, err2 := blockfilter.CutSize(block, 2)
	each = float64(two - one)
	return float64(one) - each, each, err == nil && err2 == nil && two > one
}

// cutToFit returns a block cut to as many bits as fit, at most those that are
// wanted. It appends to dst, and returns it as it was if not even one bit fits.
func cutToFit(dst, block []byte, bits float64, bytes int) []byte {
	base, each, ok := sizes(block)
	if !ok {
		return dst
	}
	bits = min(bits, (float64(bytes)-base)/each)
	for ; bits >= 1; bits -= 1. / 256 { // sizes are rounded
		if size, err := blockfilter.CutSize(block, bits); err == nil && size <= bytes {
			cut, err := blockfilter.Cut(dst, block, bits)
			if err != nil {
				return dst
			}
			return cut
		}
	}
	return dst
}
