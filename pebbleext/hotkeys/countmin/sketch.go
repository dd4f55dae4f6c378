// Package countmin counts how often each key of a stream occurs, in memory that
// does not depend on the number of keys: the Count-Min sketch of Cormode and
// Muthukrishnan, on two hash functions in place of one for each row (Kirsch and
// Mitzenmacher, "Less Hashing, Same Performance: Building a Better Bloom
// Filter", 2008, section 9).
package countmin

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// MinError is the least error of a sketch: one of it takes 600 MB.
const MinError = 1e-6

// Sketch counts keys. An estimate is never below the true count, and exceeds it
// by more than a share ε of all counts together with a probability of at most
// ε. The probability is over the seed: whoever does not know the seed cannot
// prepare keys that are estimated wrongly.
//
// Row j of a key's d counters, one in each row of w, is at h1 + j·h2 mod w.
// Because w is prime, two keys that share counters in two rows share all.
//
// It takes 8·w·d bytes, with w = 2e/ε and d = ln 1/ε, both rounded up:
//
//	ε        w     d    memory
//	0.1     59     3    1.4 KB
//	0.01   547     5     22 KB
//	0.001 5437     7    304 KB
//
// A Sketch is not safe for concurrent use.
type Sketch struct {
	epsilon  float64
	seed     uint64
	width    uint64 // w, of a row
	depth    int    // d
	counters []uint64
	total    uint64
}

// New returns an empty sketch with error ε = maxError, from MinError to less
// than 1.
func New(maxError float64, seed uint64) (*Sketch, error) {
	if !(maxError >= MinError && maxError < 1) {
		return nil, fmt.Errorf("the error of a sketch must be from %v to less than 1, not %v", MinError, maxError)
	}
	s := &Sketch{
		epsilon: maxError,
		seed:    seed,
		width:   primeFrom(uint64(math.Ceil(2 * math.E / maxError))),
		// With it (2/εw)^d is at most what 2/εw² leaves of ε.
		depth: int(math.Ceil(-math.Log(maxError * (1 - 1/(2*math.E*math.E))))),
	}
	s.counters = make([]uint64, s.width*uint64(s.depth))
	return s, nil
}

// primeFrom returns the least prime that is at least n.
func primeFrom(n uint64) uint64 {
	for !new(big.Int).SetUint64(n).ProbablyPrime(0) { // exact below 2⁶⁴
		n++
	}
	return n
}

// Add counts a key a number of times, and returns its estimate after that.
func (s *Sketch) Add(key []byte, times uint64) (estimate uint64) {
	s.total += times
	estimate = math.MaxUint64
	at, step := s.hash(key)
	for row := uint64(0); row < uint64(len(s.counters)); row += s.width {
		s.counters[row+at] += times
		estimate = min(estimate, s.counters[row+at])
		at = s.next(at, step)
	}
	return estimate
}

// Estimate returns how often a key was counted, or more.
func (s *Sketch) Estimate(key []byte) uint64 {
	least := uint64(math.MaxUint64)
	at, step := s.hash(key)
	for row := uint64(0); row < uint64(len(s.counters)); row += s.width {
		least = min(least, s.counters[row+at])
		at = s.next(at, step)
	}
	return least
}

// hash returns h1, a key's place in row 0, and h2, the step to the next row.
func (s *Sketch) hash(key []byte) (at, step uint64) {
	h := xxh3.Hash128Seed(key, s.seed)
	at, _ = bits.Mul64(h.Hi, s.width)
	step, _ = bits.Mul64(h.Lo, s.width)
	return at, step
}

// next returns at + step mod w.
func (s *Sketch) next(at, step uint64) uint64 {
	if at += step; at >= s.width {
		at -= s.width
	}
	return at
}

// Total returns the sum of all counts.
func (s *Sketch) Total() uint64 { return s.total }

// Reset forgets all counts.
func (s *Sketch) Reset() {
	clear(s.counters)
	s.total = 0
}

// Size returns the memory of the counters in bytes.
func (s *Sketch) Size() int { return 8 * len(s.counters) }

// FailureProbability returns the bound 2/εw² + (2/εw)^d of Theorem 9.1 on the
// probability that an estimate exceeds the true count by more than ε·Total. It
// is at most ε.
func (s *Sketch) FailureProbability() float64 {
	w := float64(s.width)
	return 2/(s.epsilon*w*w) + math.Pow(2/(s.epsilon*w), float64(s.depth))
}
