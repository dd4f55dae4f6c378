package compressed

import (
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// MayContain answers for a compressed filter's array, described by a block's
// trailer, whether the key of hash h may be in it. It answers true for bytes
// that the trailer does not fit. It reads one line and allocates nothing.
func MayContain(body []byte, v *trailer.View, h uint64) bool {
	shape := compress.Shape(v.Geometry())
	array, ok := compress.OpenSparse(body, shape)
	if !ok || v.Params() != params {
		return true
	}
	line, slot := place(h, shape.Lines(), shape.LineSlots())
	return array.Has(line, slot)
}
