package theory

import (
	"math"
	"math/bits"
	"sync"
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

// FilterRate is the false-positive rate of the flat filters that package bloom
// builds: m bits, n keys, k probes each, and h2 is never 0. The papers let h2
// be 0: all probes of a key are then on one bit, which one absent key in 2m
// passes, more than p in a small filter of many bits per key. Partition uses
// k·⌊m/k⌋ of the bits.
//
// It is exact for Independent and Partition, and up to 200 keys for Double, 50
// for Enhanced2 and Enhanced3. Beyond, it is the limit plus a/n + b/n², fitted
// at so many keys and half of them: within 0.2 % of exact rates.
//
// It is NaN unless n ≥ 1, 1 ≤ k ≤ min(m, 20), and m/k ≥ 2 for Partition. The
// cost is that of the exact rate at these keys, once for all numbers of keys.
func (s Scheme) FilterRate(m, n, k int) float64 {
	if s == Partition && k >= 1 {
		m -= m % k
	}
	if n <= s.fittedKeys() || s == Independent || s == Partition {
		return s.keptExact(m, n, k)
	}
	bitsPerKey := float64(m) / float64(n)
	excess := func(keys int) float64 {
		m := int(math.Round(bitsPerKey * float64(keys)))
		return s.keptExact(m, keys, k) - BloomRate(float64(m)/float64(keys), k)
	}
	half, whole := excess(s.fittedKeys()/2), excess(s.fittedKeys())
	x := float64(s.fittedKeys()) / float64(n)
	// a·x + b·x² is whole at x = 1 and half at x = 2.
	a, b := 2*whole-half/2, half/2-whole
	return BloomRate(bitsPerKey, k) + a*x + b*x*x
}

// fittedKeys is the larger of the two filters to which FilterRate fits a large
// one: either takes half a second at 16 bits per key.
func (s Scheme) fittedKeys() int {
	if s == Double {
		return 200
	}
	return 50
}

// keptExact is exact(m, n, k, 1), computed once: filters of many sizes are
// fitted to the same two.
func (s Scheme) keptExact(m, n, k int) float64 {
	type filter struct {
		scheme  Scheme
		m, n, k int
	}
	key := filter{s, m, n, k}
	if rate, ok := exactRates.Load(key); ok {
		return rate.(float64)
	}
	rate := s.exact(m, n, k, 1)
	exactRates.Store(key, rate)
	return rate
}

var exactRates sync.Map // from filter to float64

// exact is the false-positive probability Pr(F) where h1 and h2 of every key
// are independent and uniform, h2 from firstStep on, averaged over them: no
// limit, no simulation. It counts, for each step h2 of an absent key, how many
// of the hash pairs of a present key cover each subset of the absent key's
// probes. Inclusion and exclusion over the subsets then yields the probability
// that n keys cover all, to an absolute error of about 2^k·1e-16.
//
// It is NaN unless m ≥ 2, n ≥ 1, 1 ≤ k ≤ min(m, 20), and k divides m for
// Partition. The cost, in steps of some nanoseconds: m·k for each divisor of
// m/k for Partition, m·k² for each divisor of m for Double, m²·k² for Enhanced2
// and Enhanced3 (9 s at m = 8000, k = 6).
func (s Scheme) exact(m, n, k, firstStep int) float64 {
	switch {
	case !valid(m, n, k) || s > Enhanced3 || k > maxSchemeProbes:
		return math.NaN()
	case s == Independent:
		return Standard.Rate(m, n, k)
	case s == Partition && (m%k != 0 || m/k <= firstStep):
		return math.NaN()
	}
	size := m
	if s == Partition {
		size = m / k
	}
	counter := newHitCounter(s, size, k, firstStep)
	pairs := float64(size) * float64(size-firstStep)
	rate := 0.0
	for step, weight := range s.steps(size, firstStep) {
		rate += weight * coverAll(counter.hits(step), pairs, n)
	}
	return rate
}

// steps yields the values of h2 of an absent key that differ in effect, with
// their probabilities. Without f, multiplication by a unit modulo size maps
// steps of one greatest common divisor with size onto each other.
func (s Scheme) steps(size, first int) map[int]float64 {
	steps := map[int]float64{}
	for step := first; step < size; step++ {
		class := step
		if s == Double || s == Partition {
			class = gcd(step, size) % size
		}
		steps[class] += 1 / float64(size-first)
	}
	return steps
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// hitCounter counts subsets of covered probes.
type hitCounter struct {
	scheme    Scheme
	size, k   int      // size of the array, or of one part
	firstStep int      // least h2
	covered   []uint32 // the subset that each h1 of a present key covers, zero between steps
	starts    []int    // the values of h1 that cover a probe, probe by probe
}

func newHitCounter(s Scheme, size, k, firstStep int) *hitCounter {
	return &hitCounter{
		scheme: s, size: size, k: k, firstStep: firstStep,
		covered: make([]uint32, size), starts: make([]int, 0, k*k),
	}
}

// hits counts, of the hash pairs of a present key, those that cover each subset
// of the probes of an absent key with h1 = 0 and this step.
func (c *hitCounter) hits(absentStep int) []float64 {
	probes, offsets := make([]int, c.k), make([]int, c.k)
	c.offsets(probes, absentStep)
	hits := make([]float64, 1<<c.k)
	for step := c.firstStep; step < c.size; step++ {
		c.offsets(offsets, step)
		c.starts = c.starts[:0]
		for probe, position := range probes {
			meets := offsets
			if c.scheme == Partition { // probe i meets only probe i
				meets = offsets[probe : probe+1]
			}
			for _, offset := range meets {
				start := position - offset
				if start < 0 {
					start += c.size
				}
				c.starts = append(c.starts, start)
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
		offsets[i] = (i*step + f) % c.size
	}
}

// coverAll is the probability that n present keys cover all probes, given how
// many of the hash pairs cover exactly each non-empty subset.
func coverAll(hits []float64, pairs float64, n int) float64 {
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
