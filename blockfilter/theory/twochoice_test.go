package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneChoiceIsBloom(t *testing.T) {
	for _, bits := range []float64{0.1, 1, 4, 8, 9.5, 16, 32, 64} {
		k := BloomProbes(bits)
		require.InDelta(t, -math.Expm1(-float64(k)/bits), TwoChoiceOnes(bits, k, 1), 1e-7)
		require.InEpsilon(t, BloomRate(bits, k), TwoChoiceRate(bits, k, 1), 1e-6)
		if k = min(k, MaxLineProbes); bits >= 4 {
			require.InEpsilon(t, LineRate(bits, k), TwoChoiceLineRate(bits, k, 1), 1e-10)
		}
	}
}

func TestTwoChoiceBitsInverts(t *testing.T) {
	for _, choices := range []int{2, 3} {
		for _, bits := range []float64{2, 9.5, 20} {
			rate := TwoChoiceRate(bits, TwoChoiceProbes(bits, choices), choices)
			require.InDelta(t, bits, TwoChoiceBits(rate, choices), 1e-5)
		}
	}
}

// Online lines of 10 bits per key: the mean of simulated rates is within six of
// its standard errors (a false alarm once in 5e8).
func TestTwoChoiceLineRateMatchesSimulation(t *testing.T) {
	const bits, k, choices, lines = 10, 8, 2, 4000
	random := rand.New(rand.NewPCG(1, 2))
	sum, squares := 0.0, 0.0
	for range lines {
		var line [lineSize]bool
		ones := 0
		for range poisson(random, lineSize/bits) {
			ones += addToLine(random, &line, k, choices)
		}
		rate := anyChoice(float64(ones)/lineSize, k, choices)
		sum, squares = sum+rate, squares+rate*rate
	}
	mean := sum / lines
	deviation := math.Sqrt((squares/lines - mean*mean) / lines)
	require.InDelta(t, TwoChoiceLineRate(bits, k, choices), mean, 6*deviation)
}

func poisson(random *rand.Rand, mean float64) int {
	count := 0
	for time := random.ExpFloat64(); time < mean; time += random.ExpFloat64() {
		count++
	}
	return count
}

// addToLine sets the best of several groups and returns how many ones it added.
func addToLine(random *rand.Rand, line *[lineSize]bool, k, choices int) int {
	var best map[int]bool
	for range choices {
		added := map[int]bool{}
		for range k {
			if position := random.IntN(lineSize); !line[position] {
				added[position] = true
			}
		}
		if best == nil || len(added) < len(best) {
			best = added
		}
	}
	for position := range best {
		line[position] = true
	}
	return len(best)
}

func BenchmarkTwoChoiceOnes(b *testing.B) {
	for b.Loop() {
		TwoChoiceOnes(10, 8, 2)
	}
}

func BenchmarkTwoChoiceLineRate(b *testing.B) {
	for b.Loop() {
		TwoChoiceLineRate(10, 8, 2)
	}
}
