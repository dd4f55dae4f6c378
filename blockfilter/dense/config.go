package dense

import (
	"fmt"
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

// MaxBitsPerKey bounds Config.BitsPerKey: a fingerprint has no more bits.
const MaxBitsPerKey = 32

// Config describes dense filters to build.
type Config struct {
	// BitsPerKey is the size of a filter for each of its keys, above 0 and at
	// most MaxBitsPerKey. It need not be whole. Below 3 a Bloom filter is better.
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included; a table with too
	// many keys for it gets fewer bits per key. Zero is no cap.
	MaxBytes int
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	return trailer.CheckBits(c.BitsPerKey, MaxBitsPerKey)
}

// Bits returns the least bits per key that reach a false-positive rate.
func (Config) Bits(rate float64) (float64, error) {
	bits := theory.DenseBits(rate)
	if !(bits > 0 && bits <= MaxBitsPerKey) {
		return 0, fmt.Errorf("a dense filter cannot reach a rate of %v %%", rate*100)
	}
	return bits, nil
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	_, size := c.blockFor(n)
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys:
// theory.DenseRate, with the bits per key that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	t, size := c.blockFor(n)
	if t.Params[0] == oneSystem {
		return math.Exp2(-float64(systemColumns(size, n)))
	}
	return theory.DenseRate(float64(size) * 8 / float64(n))
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
func (c Config) Wrote(block []byte) bool { return trailer.Wrote(block, c.blockFor) }
