package analysis

import "math"

// Model is one of two flat filters whose probes are independent.
type Model uint8

const (
	// Standard draws k independent positions for a key; two may coincide.
	Standard Model = iota
	// Classic draws k distinct positions for a key, as Bloom did in 1970.
	Classic
)

func (f Model) String() string {
	if f == Classic {
		return "classic"
	}
	return "standard"
}

// Rate is the exact false-positive rate of a filter of m bits that holds n
// keys with k probes each, averaged over the hash functions: f_S (Burns,
// equation 56) and f_C (equation 60). It is NaN unless m ≥ 2, n ≥ 1 and
// 1 ≤ k ≤ m. The cost is n·k² multiplications.
//
// It fixes the bits that an absent key probes, then lets the present keys cover
// them one by one. The number of bits still uncovered is a Markov chain, and
// each of its steps adds and multiplies positive numbers only, with a relative
// error below n·k·1e-15, where the closed formulas alternate in sign and lose
// every digit in float64. Rates under 1e-307 vanish.
func (f Model) Rate(m, n, k int) float64 {
	if m < 2 || n < 1 || k < 1 || k > m {
		return math.NaN()
	}
	bits := float64(m)
	uncovered := make([]float64, k+1)
	if f == Classic {
		uncovered[k] = 1
	} else {
		drawDistinct(uncovered, bits)
	}
	for range n {
		for drawn := range k {
			if f == Classic {
				cover(uncovered, bits-float64(drawn))
			} else {
				cover(uncovered, bits)
			}
		}
	}
	return uncovered[0]
}

// drawDistinct fills p[d] with the probability that len(p)−1 probes at
// independent uniform positions of m bits touch exactly d distinct bits.
func drawDistinct(p []float64, m float64) {
	clear(p)
	p[0] = 1
	for probe := range len(p) - 1 {
		for d := probe + 1; d > 0; d-- {
			p[d] = p[d]*(float64(d)/m) + p[d-1]*((m-float64(d-1))/m)
		}
		p[0] = 0
	}
}

// cover advances p, where p[d] is the probability of d uncovered bits, by one
// probe of a present key: it covers one of them with probability d/m.
func cover(p []float64, m float64) {
	last := len(p) - 1
	for d := range last {
		p[d] = p[d]*((m-float64(d))/m) + p[d+1]*(float64(d+1)/m)
	}
	p[last] *= (m - float64(last)) / m
}
