package theory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The limits of Kirsch and Mitzenmacher 2008, section 6, at the best k.
func TestBloomRate(t *testing.T) {
	for _, row := range []struct {
		bits, rate float64
		k          int
	}{{4, 0.14689159766, 3}, {8, 0.02157714146, 6}, {12, 0.00314235035, 8}, {16, 0.00045871073, 11}} {
		require.InDelta(t, row.rate, BloomRate(row.bits, row.k), 5.1e-12)
		require.Equal(t, row.k, BloomProbes(row.bits))
		require.InDelta(t, row.bits, BloomBits(row.rate), 1e-6)
	}
}
