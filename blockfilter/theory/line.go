package theory

import "math"

const (
	// LineSize is the number of bits of a line.
	LineSize = 512
	// MaxLineProbes is the largest k that LineProbes considers.
	MaxLineProbes = 16
)

// LineRate is the false-positive rate of a blocked Bloom filter whose lines
// have 512 bits: the exact rate of a 512-bit standard filter (StandardRate)
// that holds j keys, averaged over the load j of a line, which is Poisson with
// mean 512/bitsPerKey. An absent key picks its line without regard to the
// load. Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom
// Filters", 2007, equation 3, has the same average over the limit rate.
//
// It is NaN unless bitsPerKey > 0 and 1 ≤ k ≤ 16. The cost is about
// 500·k²/bitsPerKey multiplications: 7 µs at 10 bits and k = 6.
func LineRate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 || k > MaxLineProbes {
		return math.NaN()
	}
	load := LineSize / bitsPerKey
	var buffer [MaxLineProbes + 1]float64
	uncovered := buffer[:k+1]
	drawDistinct(uncovered, LineSize)

	first, weight := poissonStart(load)
	rate := 0.0
	for j := 0; ; j++ {
		if j >= first {
			rate += weight * uncovered[0]
			weight *= load / float64(j+1)
			if float64(j) > load && weight < negligible {
				return min(rate, 1)
			}
		}
		for range k {
			cover(uncovered, LineSize)
		}
	}
}

// LineProbes is the number of probes k, 1 to 16, with the least LineRate. It
// costs about three evaluations of LineRate, 20 µs at 10 bits.
func LineProbes(bitsPerKey float64) int {
	k, _ := bestLine(bitsPerKey)
	return k
}

// LineBits is the least number of bits per key with which a blocked Bloom
// filter, given its best k, reaches the rate: 0 for rates of 1 and more, +Inf
// for rates that MaxBits do not reach.
func LineBits(rate float64) float64 {
	return invert(func(bits float64) float64 {
		_, rate := bestLine(bits)
		return rate
	}, rate)
}

// bestLine descends from a k at or above the best one: a line's uneven load
// asks for fewer probes than BloomProbes.
func bestLine(bitsPerKey float64) (k int, rate float64) {
	k = min(BloomProbes(bitsPerKey), MaxLineProbes)
	rate = LineRate(bitsPerKey, k)
	for k > 1 {
		fewer := LineRate(bitsPerKey, k-1)
		if fewer > rate {
			break
		}
		k, rate = k-1, fewer
	}
	return k, rate
}

// negligible is the Poisson weight at which an average ends: far below the
// precision of the least rate (1e-8 at 64 bits per key).
const negligible = 1e-30

// poissonStart returns the least load whose weight counts, twelve standard
// deviations below the mean, and its weight; e^(−mean) alone would vanish for
// means above 745.
func poissonStart(mean float64) (first int, weight float64) {
	first = max(0, int(mean-12*math.Sqrt(mean)))
	logFactorial, _ := math.Lgamma(float64(first + 1))
	return first, math.Exp(float64(first)*math.Log(mean) - mean - logFactorial)
}
