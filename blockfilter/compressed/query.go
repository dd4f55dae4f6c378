package compressed

import (
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// MayContain answers for a block of a compressed filter whether the key of hash
// h may be in it. It answers true for a block whose trailer does not fit it. It
// reads one line and allocates nothing.
func MayContain(block []byte, h uint64) bool {
	body, v, ok := trailer.Split(block)
	if !ok || v.Params() != [3]uint8{0, 1, 1} { // layout 0, k = c = 1
		return true
	}
	shape := compress.Shape(v.Geometry())
	line, slot := place(h, shape.Lines(), shape.LineSlots())
	return compress.Sparse{Shape: shape, Data: body}.Has(line, slot)
}
