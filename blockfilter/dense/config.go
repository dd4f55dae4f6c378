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
	if !(c.BitsPerKey > 0 && c.BitsPerKey <= MaxBitsPerKey) {
		return fmt.Errorf("bits per key must be above 0 and at most %d, not %v", MaxBitsPerKey, c.BitsPerKey)
	}
	return nil
}

// Bits returns the least bits per key that reach a false-positive rate.
func Bits(rate float64) (float64, error) {
	bits := theory.DenseBits(rate)
	if !(bits > 0 && bits <= MaxBitsPerKey) {
		return 0, fmt.Errorf("a dense filter cannot reach a rate of %v %%", rate*100)
	}
	return bits, nil
}

// ExpectedSize returns the bytes of a block for n distinct keys, its trailer
// included. It is exact.
func (c Config) ExpectedSize(n int) int {
	layout, size := c.bodyFor(n)
	if layout == lines {
		size *= lineSize
	}
	return size + trailer.Size
}

// ExpectedRate returns the false-positive rate of a filter for n distinct keys:
// theory.DenseRate, with the bits per key that MaxBytes and whole lines leave it.
func (c Config) ExpectedRate(n int) float64 {
	if n == 0 {
		return 0
	}
	layout, size := c.bodyFor(n)
	if layout == oneSystem {
		return math.Exp2(-float64(systemColumns(size, n)))
	}
	return theory.DenseRate(float64(size) * lineBits / float64(n))
}

// Wrote reports whether block is what AppendBlock writes for as many keys.
func (c Config) Wrote(block []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok || v.Family() != trailer.Dense || v.Keys() > trailer.MaxKeys {
		return false
	}
	layout, size := c.bodyFor(int(v.Keys()))
	return v.Params() == [3]uint8{uint8(layout)} && v.Geometry() == uint64(size) &&
		c.ExpectedSize(int(v.Keys())) == len(body)+trailer.Size
}
