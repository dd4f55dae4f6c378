package analysis

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneChoiceIsBloom(t *testing.T) {
	for _, bits := range []float64{0.1, 1, 4, 8, 9.5, 16, 32, 64} {
		k := max(1, int(math.Round(bits*math.Ln2)))
		require.InDelta(t, -math.Expm1(-float64(k)/bits), TwoChoiceOnes(bits, k, 1), 1e-7)
	}
}

// Table 2 of the paper, by its equation.
func TestTwoChoiceOnes(t *testing.T) {
	for _, row := range []struct {
		bits       float64
		k, choices int
		ones       float64
	}{{8, 7, 2, 0.5296}, {8, 7, 3, 0.5019}, {16, 13, 2, 0.5187}, {16, 13, 3, 0.4994}, {32, 24, 2, 0.5016}, {32, 25, 3, 0.5022}} {
		require.InDelta(t, row.ones, TwoChoiceOnes(row.bits, row.k, row.choices), 5.1e-5)
	}
}

func BenchmarkTwoChoiceOnes(b *testing.B) {
	for b.Loop() {
		TwoChoiceOnes(10, 8, 2)
	}
}
