package theory

// Exact rates without cancellation: fix the bits that an absent key probes,
// then let the present keys cover them one by one. The number of those bits
// that are still uncovered is a Markov chain, and each of its steps adds and
// multiplies positive numbers only, where the closed formulas (Burns,
// equations 56 and 60) alternate in sign and lose every digit in float64.

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

// coverChain is the law of the uncovered bits of an absent key: start before
// any key is added, and addKey to advance it by the probes of one key.
type coverChain struct {
	start  []float64
	addKey func(p []float64)
}

// after is the probability that n keys cover every bit.
func (c coverChain) after(n int) float64 {
	p := c.start
	if n <= 2*len(p) {
		for range n {
			c.addKey(p)
		}
		return p[0]
	}
	// Square the transition matrix: about k³/6·log2 n steps instead of k²·n.
	for power := c.matrix(); n > 0; n >>= 1 {
		if n&1 == 1 {
			p = power.apply(p)
		}
		power = power.square()
	}
	return p[0]
}

func (c coverChain) matrix() transitions {
	rows := make(transitions, len(c.start))
	for d := range rows {
		row := make([]float64, len(c.start))
		row[d] = 1
		c.addKey(row)
		rows[d] = row[:d+1]
	}
	return rows
}

// transitions[d][e] is the probability of going from d to e ≤ d uncovered bits.
type transitions [][]float64

func (t transitions) apply(p []float64) []float64 {
	next := make([]float64, len(p))
	for d, row := range t {
		for e, probability := range row {
			next[e] += p[d] * probability
		}
	}
	return next
}

func (t transitions) square() transitions {
	squared := make(transitions, len(t))
	for d, row := range t {
		squared[d] = make([]float64, d+1)
		for between, first := range row {
			for e, second := range t[between] {
				squared[d][e] += first * second
			}
		}
	}
	return squared
}
