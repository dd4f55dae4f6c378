package compressed

import (
	"fmt"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/compress"
)

// MaxBitsPerKey bounds Config.BitsPerKey.
const MaxBitsPerKey = 24

// inPlaceBits is what a block takes per key beyond BitsPerKey. Coded to its
// entropy, the array of compressed:8 would take 7.93 bits per key; counting
// bits instead of decoding takes 0.19 more, and finding a line 0.06.
const inPlaceBits = 0.18

// Config describes compressed filters to build.
type Config struct {
	// BitsPerKey, above 0 and at most MaxBitsPerKey, is Mitzenmacher's z within
	// 0.1: the size of a filter packed as a whole, of which a block has the
	// false-positive rate. To answer in place a block takes 0.18 bits per key
	// more, and a trailer.
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included; a table with too
	// many keys for it gets fewer bits per key. Zero is no cap, and below 282
	// no cap holds.
	MaxBytes int
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	return trailer.CheckBits(c.BitsPerKey, MaxBitsPerKey)
}

// Bits returns the least bits per key at which a compressed filter reaches a
// false-positive rate, 0 < rate < 1.
func (Config) Bits(rate float64) (float64, error) {
	bits := compress.LeastSparseBits(rate) - inPlaceBits
	if !(bits <= MaxBitsPerKey) {
		return 0, fmt.Errorf("a compressed filter cannot reach a rate of %.3g %%", rate*100)
	}
	return max(bits, leastBits), nil
}

// leastBits per key lets 99 % of absent keys through.
const leastBits = 0.01
