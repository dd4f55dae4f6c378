package theory

// The exact rate of a standard filter without cancellation: fix the bits that
// an absent key probes, then let the keys' probes cover them one by one. The
// number of those bits that are still uncovered is a Markov chain, and every
// step adds and multiplies positive numbers only, where the closed formula
// (Burns, equation 53) alternates in sign and loses all digits in float64.

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
	for d := range len(p) - 1 {
		p[d] = p[d]*((m-float64(d))/m) + p[d+1]*(float64(d+1)/m)
	}
	last := len(p) - 1
	p[last] *= (m - float64(last)) / m
}
