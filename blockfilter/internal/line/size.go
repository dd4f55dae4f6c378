package line

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Count returns the number of lines for n keys at bitsPerKey: rounded up, so
// that no table gets fewer bits than asked for, but down where the block would
// exceed maxBytes (0 is no limit), and at least one.
func Count(n int, bitsPerKey float64, maxBytes int) int {
	lines := int(math.Ceil(float64(n) * bitsPerKey / Bits))
	if maxBytes > 0 {
		lines = min(lines, (maxBytes-trailer.Size)/Size)
	}
	return max(lines, 1)
}
