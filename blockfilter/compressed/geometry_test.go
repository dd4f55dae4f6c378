package compressed

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/compress"
)

// planned returns the array of some bits per key and the share of absent keys
// whose slot is set.
func planned(bitsPerKey float64) (slots float64, bucketBits int, rate float64) {
	slots, bucketBits = mostSlots(bitsPerKey)
	return slots, bucketBits, -math.Expm1(-1 / slots)
}

func TestMostSlots(t *testing.T) {
	before := 1.0
	for z := 0.25; z <= 24; z += 0.25 {
		slots, bucketBits, rate := planned(z)
		require.InDelta(t, z, compress.SparseBits(slots, bucketBits), 1e-6)
		require.Less(t, rate, before, "z=%g", z)
		require.Less(t, slots*compress.Entropy(rate), z, "z=%g: nothing beats the entropy", z)
		before = rate
	}
}

// TestOneProbeIsBestInPlace: k probes set k slots a key, which is the array of
// k times as many keys that set one.
func TestOneProbeIsBestInPlace(t *testing.T) {
	for z := 2.0; z <= 20; z++ {
		_, _, one := planned(z)
		for k := 2; k <= 8; k++ {
			_, _, each := planned(z / float64(k))
			require.Greater(t, math.Pow(each, float64(k)), one, "z=%g k=%d", z, k)
		}
	}
}
