package theory

import (
	"math"
	"math/bits"
)

// Scheme is a way to derive the k positions of a key in a flat filter of m bits
// from hashes (Kirsch and Mitzenmacher 2008, section 5). All have the limit
// rate BloomRate(m/n, k).
type Scheme uint8

const (
	Independent Scheme = iota // k independent hashes
	Partition                 // probe i is h1 + i·h2 mod m/k in array i of m/k bits
	Double                    // h1 + i·h2 mod m
	Enhanced2                 // h1 + i·h2 + i² mod m
	Enhanced3                 // h1 + i·h2 + i³ mod m
)

// maxSchemeProbes bounds the 2^k subsets of covered probes.
const maxSchemeProbes = 20

// Rate is the exact false-positive probability Pr(F) of a filter of m bits
// that holds n keys with k probes each, where h1 and h2 of every key are
// independent and uniform, and averaged over them: no limit, no simulation. It
// counts, for each step h2 of an absent key, how many of the m² hash pairs of
// a present key cover each subset of the absent key's probes; inclusion and
// exclusion over the subsets then yields the probability that n keys cover
// all, to an absolute error of about 2^k·1e-16.
//
// It is NaN unless m ≥ 2, n ≥ 1, 1 ≤ k ≤ min(m, 20), and k divides m for
// Partition. The cost, in steps of some nanoseconds: m for Partition, m·k² for
// each divisor of m for Double, m²·k² for Enhanced2 and Enhanced3 (9 s at
// m = 8000, k = 6).
func (s Scheme) Rate(m, n, k int) float64 {
	switch {
	case !valid(m, n, k) || s > Enhanced3 || k > maxSchemeProbes:
		return math.NaN()
	case s == Independent:
		return Standard.Rate(m, n, k)
	case s == Partition && m%k != 0:
		return math.NaN()
	case s == Partition:
		return coverAll(partitionHits(m/k, k), m/k, n)
	}
	counter := newHitCounter(s, m, k)
	rate := 0.0
	for step, weight := range s.steps(m) {
		rate += weight * coverAll(counter.hits(step), m, n)
	}
	return rate
}

// Convergence is Rate − BloomRate(m/n, k), how far a scheme is from its limit at
// n keys. Kirsch and Mitzenmacher prove that it is O(1/n) (Theorem 6.2) and
// give no constant. The domain and the cost are those of Rate.
func (s Scheme) Convergence(m, n, k int) float64 {
	return s.Rate(m, n, k) - BloomRate(float64(m)/float64(n), k)
}

// steps yields the values of h2 of an absent key that differ in effect, with
// their probabilities. Without f, multiplication by a unit modulo m maps steps
// of one greatest common divisor with m onto each other.
func (s Scheme) steps(m int) map[int]float64 {
	steps := map[int]float64{}
	for step := range m {
		if s == Double {
			step = gcd(step, m) % m
		}
		steps[step] += 1 / float64(m)
	}
	return steps
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// partitionHits counts, of the m′² hash pairs of a present key, those that
// cover each subset of an absent key's probes; probe i meets only probe i, and
// differences of hashes are as uniform as hashes.
func partitionHits(size, k int) []float64 {
	hits := make([]float64, 1<<k)
	for step := range size {
		for i := range k {
			start := i * step % size
			subset := 0
			for j := range k {
				if j*step%size == start {
					subset |= 1 << j
				}
			}
			if subset&(1<<i-1) == 0 { // not counted at a smaller i
				hits[subset]++
			}
		}
	}
	return hits
}

// hitCounter counts subsets of covered probes for the schemes on one array.
type hitCounter struct {
	scheme  Scheme
	m, k    int
	covered []uint32 // the subset that each h1 of a present key covers, zero between steps
	starts  []int    // the k² values of h1 that cover a probe, probe by probe
}

func newHitCounter(s Scheme, m, k int) *hitCounter {
	return &hitCounter{scheme: s, m: m, k: k, covered: make([]uint32, m), starts: make([]int, k*k)}
}

// hits counts, of the m² hash pairs of a present key, those that cover each
// subset of the probes of an absent key with h1 = 0 and this step.
func (c *hitCounter) hits(absentStep int) []float64 {
	probes, offsets := make([]int, c.k), make([]int, c.k)
	c.offsets(probes, absentStep)
	hits := make([]float64, 1<<c.k)
	for step := range c.m {
		c.offsets(offsets, step)
		for probe, position := range probes {
			starts := c.starts[probe*c.k:][:c.k]
			for i, offset := range offsets {
				start := position - offset
				if start < 0 {
					start += c.m
				}
				starts[i] = start
				c.covered[start] |= 1 << probe
			}
		}
		for _, start := range c.starts {
			if subset := c.covered[start]; subset != 0 {
				hits[subset]++
				c.covered[start] = 0
			}
		}
	}
	return hits
}

// offsets fills in i·step + f(i) mod m, the probes' distances from h1.
func (c *hitCounter) offsets(offsets []int, step int) {
	for i := range offsets {
		f := 0
		switch c.scheme {
		case Enhanced2:
			f = i * i
		case Enhanced3:
			f = i * i * i
		}
		offsets[i] = (i*step + f) % c.m
	}
}

// coverAll is the probability that n present keys cover all probes, given how
// many of the size² hash pairs cover exactly each non-empty subset.
func coverAll(hits []float64, size, n int) float64 {
	total := 0.0
	for _, count := range hits {
		total += count
	}
	within := hits // becomes the hits on subsets of each set
	for bit := 1; bit < len(within); bit <<= 1 {
		for set := range within {
			if set&bit != 0 {
				within[set] += within[set^bit]
			}
		}
	}
	all := len(within) - 1
	pairs := float64(size) * float64(size)
	rate := 0.0
	for set := range within {
		// A pair misses the set if it hits only subsets of the complement.
		missed := math.Exp(float64(n) * math.Log1p(-(total-within[all^set])/pairs))
		rate += parity(set) * missed
	}
	return rate
}

// parity is the sign of a set in inclusion and exclusion.
func parity(set int) float64 {
	if bits.OnesCount(uint(set))%2 == 1 {
		return -1
	}
	return 1
}
