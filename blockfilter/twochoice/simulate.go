package twochoice

import (
	"math"
	mathbits "math/bits"
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// simulate measures the false-positive rate on filters of random keys: on a
// number of lines for every load that counts, weighted by the load's
// probability, or on one flat filter of a thousand times that many keys. All
// options of c must be set. The random keys are the same on every call.
func (c Config) simulate(size int) float64 {
	if c.Flat {
		return c.simulateFlat(1000 * size)
	}
	return c.simulateLines(size)
}

func (c Config) simulateLines(linesPerLoad int) float64 {
	rng := rand.New(rand.NewPCG(1, 0))
	o := optimizer{probes: c.Probes, choices: c.Choices}
	mean := line.Bits / c.BitsPerKey
	deviation := math.Sqrt(mean)
	// The rate grows with the load, so the upper tail reaches further.
	first, last := max(1, int(mean-6*deviation)), int(mean+9*deviation)+1
	step := 1 + int(deviation/10)

	rate, total := 0.0, 0.0
	for load := first; load <= last; load += step {
		logFactorial, _ := math.Lgamma(float64(load + 1))
		weight := math.Exp(float64(load)*math.Log(mean) - mean - logFactorial)
		total += weight * float64(linesPerLoad)
		hashes := make([]uint64, load)
		for range linesPerLoad {
			for i := range hashes {
				hashes[i] = rng.Uint64()
			}
			l := o.line(hashes, c.roundsFor(load, mean))
			rate += weight * c.rateOf(l.Ones(), line.Bits)
		}
	}
	return rate / total
}

func (c Config) simulateFlat(keys int) float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, keys)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	m, size := trailer.FitFlat(keys, c.BitsPerKey, 0)
	filter := make([]byte, size)
	addFlat(filter, m, [][]uint64{hashes}, keys, c)
	ones := 0
	for _, b := range filter {
		ones += mathbits.OnesCount8(b)
	}
	return c.rateOf(ones, m)
}

// rateOf is the false-positive rate 1 − (1 − p^k)^c where ones of m bits are
// set, p = ones/m. The schemes of probes are within 0.6 % of it.
func (c Config) rateOf(ones int, m uint64) float64 {
	p := float64(ones) / float64(m)
	return -math.Expm1(float64(c.Choices) * math.Log1p(-math.Pow(p, float64(c.Probes))))
}
