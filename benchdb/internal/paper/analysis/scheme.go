package analysis

import (
	"math"
	"math/bits"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/gravelkv/gravel/blockfilter/bloom"
)

// SchemeRate is the false-positive rate of the flat filters that package bloom
// builds with a scheme of two hashes: m bits, n keys, k ≤ 20 probes each, and h2
// is never 0. The papers let h2 be 0: all probes of a key are then on one bit,
// which one absent key in 2m passes, more than p in a small filter of many bits
// per key. Partition uses k·⌊m/k⌋ of the bits. All schemes have the limit
// bloom.Rate(m/n, k).
//
// It is exact for Partition, up to 200 keys for Double, and up to 50 for
// Enhanced2 and Enhanced3. Beyond, it is the limit plus a/n + b/n², fitted at so
// many keys and half of them: within 0.2 % of exact rates.
//
// The cost is that of the exact rate at these keys, once for all numbers of keys.
func SchemeRate(s bloom.Scheme, m, n, k int) float64 {
	fitted := fittedKeys(s)
	if n <= fitted || s == bloom.Partition {
		return keptExact(s, m, n, k)
	}
	bitsPerKey := float64(m) / float64(n)
	excess := func(keys int) float64 {
		m := int(math.Round(bitsPerKey * float64(keys)))
		return keptExact(s, m, keys, k) - bloom.Rate(float64(m)/float64(keys), k)
	}
	half, whole := excess(fitted/2), excess(fitted)
	x := float64(fitted) / float64(n)
	// a·x + b·x² is whole at x = 1 and half at x = 2.
	a, b := 2*whole-half/2, half/2-whole
	return bloom.Rate(bitsPerKey, k) + a*x + b*x*x
}

// fittedKeys is the larger of the two filters to which SchemeRate fits a large
// one: either takes half a second at 16 bits per key.
func fittedKeys(s bloom.Scheme) int {
	if s == bloom.Double {
		return 200
	}
	return 50
}

// keptExact is exact, computed once: filters of many sizes are fitted to the
// same two.
func keptExact(s bloom.Scheme, m, n, k int) float64 {
	type filter struct {
		scheme  bloom.Scheme
		m, n, k int
	}
	key := filter{s, m, n, k}
	if rate, ok := exactRates.Load(key); ok {
		return rate.(float64)
	}
	rate := exact(s, m, n, k)
	exactRates.Store(key, rate)
	return rate
}

var exactRates sync.Map // from filter to float64

// exact is the false-positive probability where h1 and h2 of every key are
// independent and uniform, h2 from 1 on, averaged over them: no limit, no
// simulation. It counts, for each step h2 of an absent key, how many of the hash
// pairs of a present key cover each subset of the absent key's probes. Inclusion
// and exclusion over the subsets then yields the probability that n keys cover
// all, to an absolute error of about 2^k·1e-16.
//
// The cost, in steps of some nanoseconds: m·k for each divisor of m/k for
// Partition, m·k² for each divisor of m for Double, m²·k² for Enhanced2 and
// Enhanced3 (9 s at m = 8000, k = 6).
func exact(s bloom.Scheme, m, n, k int) float64 {
	if s == bloom.Partition {
		m /= k
	}
	pairs := float64(m) * float64(m-1)
	rates := make([]float64, m) // by step
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for step, weight := range steps(s, m) {
		if weight > 0 {
			group.Go(func() error {
				counter := hitCounter{scheme: s, size: m, k: k, covered: make([]uint32, m)}
				rates[step] = weight * coverAll(counter.hits(step), pairs, n)
				return nil
			})
		}
	}
	_ = group.Wait() // none fails
	return floats.Sum(rates)
}

// steps are the probabilities of the values of h2 of an absent key that differ in
// effect, 0 for those that have the effect of another. Without a term in i² or i³,
// multiplication by a unit modulo size maps steps of one greatest common divisor
// with size onto each other.
func steps(s bloom.Scheme, size int) []float64 {
	steps := make([]float64, size)
	for step := 1; step < size; step++ {
		class := step
		if s == bloom.Double || s == bloom.Partition {
			class = gcd(step, size)
		}
		steps[class] += 1 / float64(size-1)
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
	scheme  bloom.Scheme
	size, k int      // size of the array, or of one part
	covered []uint32 // the subset that each h1 of a present key covers, zero before and after
	starts  []int    // the values of h1 that cover a probe, probe by probe
}

// hits counts, of the hash pairs of a present key, those that cover each subset
// of the probes of an absent key with h1 = 0 and this step.
func (c *hitCounter) hits(absentStep int) []float64 {
	probes, offsets := make([]int, c.k), make([]int, c.k)
	c.offsets(probes, absentStep)
	hits := make([]float64, 1<<c.k)
	for step := 1; step < c.size; step++ {
		c.offsets(offsets, step)
		c.starts = c.starts[:0]
		for probe, position := range probes {
			meets := offsets
			if c.scheme == bloom.Partition { // probe i meets only probe i
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
		case bloom.Enhanced2:
			f = i * i
		case bloom.Enhanced3:
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
		if bits.OnesCount(uint(set))%2 == 1 {
			missed = -missed
		}
		rate += missed
	}
	return rate
}
