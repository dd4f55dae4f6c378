package line

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Fit returns the number of lines for n keys at bitsPerKey, and their bytes. It
// rounds up, so that no table gets fewer bits than asked for, but down where
// the block would exceed maxBytes (0 is no limit). There is at least one line.
func Fit(n int, bitsPerKey float64, maxBytes int) (lines uint64, bytes int) {
	count := int(math.Ceil(float64(n) * bitsPerKey / Bits))
	if maxBytes > 0 {
		count = min(count, (maxBytes-trailer.Size)/Size)
	}
	count = max(count, 1)
	return uint64(count), count * Size
}
