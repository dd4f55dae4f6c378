package dense

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Config describes dense filters to build. Package blockfilter checks it.
type Config struct {
	BitsPerKey float64 // below 3 a Bloom filter is better
	// MaxBytes caps the size of a block, its trailer included. Zero is no cap.
	MaxBytes int
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, size := c.shapeFor(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys,
// with the bits per key that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	t, size := c.shapeFor(n)
	if t.Params[0] == oneSystem {
		return math.Exp2(-float64(systemColumns(size, n)))
	}
	return lineRate(float64(size) * 8 / float64(n))
}

// Wrote reports whether a block's parts are those of a filter that c asks for.
func (c Config) Wrote(body []byte, v *trailer.View) bool { return trailer.Wrote(body, v, c.shapeFor) }
