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
func (c Config) ExpectedSize(n int) int { return c.shape(n).BlockSize() }

// ExpectedRate returns the false-positive rate of a filter for n ≥ 1 keys,
// with the bits per key that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	s := c.shape(n)
	if s.Params[0] == oneSystem {
		return math.Exp2(-float64(systemColumns(s.Bytes, n)))
	}
	return lineRate(float64(s.Bytes) * 8 / float64(n))
}

// Wrote reports whether c writes such a block for as many keys.
func (c Config) Wrote(block []byte) bool { return trailer.Wrote(block, c.shape) }
