package theory

import "math"

// Model is one of the two filters that Burns compares; most other formulas of
// this package are about Standard.
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
// equation 56) and f_C (equation 60). The sum runs over positive terms, with a
// relative error below n·k·1e-15; rates under 1e-307 vanish. It is NaN unless
// m ≥ 2, n ≥ 1 and 1 ≤ k ≤ m. The cost is the smaller of n·k² and k³·log2 n
// multiplications, up to constants.
func (f Model) Rate(m, n, k int) float64 {
	if !valid(m, n, k) {
		return math.NaN()
	}
	bits := float64(m)
	chain := coverChain{start: make([]float64, k+1)}
	if f == Classic {
		chain.start[k] = 1
		chain.addKey = func(p []float64) {
			for drawn := range k {
				cover(p, bits-float64(drawn))
			}
		}
		return chain.after(n)
	}
	drawDistinct(chain.start, bits)
	chain.addKey = func(p []float64) {
		for range k {
			cover(p, bits)
		}
	}
	return chain.after(n)
}

func valid(m, n, k int) bool {
	return m >= 2 && n >= 1 && 1 <= k && k <= m
}
