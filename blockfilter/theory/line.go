package theory

import "math"

const (
	// LineSize is the number of bits of a line.
	LineSize = 512
	// MaxLineProbes is the largest k that LineProbes considers.
	MaxLineProbes = 16
)

// minBits is the least bits per key for which keys are simulated one by one:
// filters that small say yes to 99.97 % and more.
const minBits = 1.0 / 64

// LineRate is the false-positive rate of a blocked Bloom filter whose lines
// have 512 bits: the exact rate Standard.Rate(512, j, k) averaged over the load
// j of a line, which is Poisson with mean 512/bitsPerKey (Putze, Sanders and
// Singler 2007). An absent key picks its line without regard to the load.
//
// It is NaN unless bitsPerKey > 0 and 1 ≤ k ≤ 16, and 1 below 1/64 bits. The cost is about
// 500·k²/bitsPerKey multiplications: 9 µs at 10 bits and k = 6.
func LineRate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 || k > MaxLineProbes {
		return math.NaN()
	}
	if bitsPerKey < minBits {
		return 1
	}
	var buffer [MaxLineProbes + 1]float64
	uncovered := buffer[:k+1]
	drawDistinct(uncovered, LineSize)
	rate := func() float64 { return uncovered[0] }
	addKey := func() {
		for range k {
			cover(uncovered, LineSize)
		}
	}
	return poissonAverage(LineSize/bitsPerKey, rate, addKey)
}

// LineProbes is the number of probes k, 1 to 16, with the least LineRate. It
// costs about three evaluations of LineRate, 25 µs at 10 bits.
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

// bestLine is LineProbes and its rate.
func bestLine(bitsPerKey float64) (k int, rate float64) {
	// A line's uneven load asks for as many probes as BloomProbes or fewer.
	start := min(BloomProbes(bitsPerKey), MaxLineProbes)
	return descend(start, 1, MaxLineProbes, func(k int) float64 { return LineRate(bitsPerKey, k) })
}

// poissonAverage averages the rate over the number of keys in a line, which
// addKey increases.
func poissonAverage(mean float64, rate func() float64, addKey func()) float64 {
	// Twelve standard deviations bound the loads that count on both sides; the
	// least rate here is 1e-8 at 64 bits per key.
	const negligible = 1e-30
	first := max(0, int(mean-12*math.Sqrt(mean)))
	for range first {
		addKey()
	}
	logFactorial, _ := math.Lgamma(float64(first + 1))
	weight := math.Exp(float64(first)*math.Log(mean) - mean - logFactorial)
	average := 0.0
	for load := first; float64(load) <= mean || weight >= negligible; load++ {
		average += weight * rate()
		weight *= mean / float64(load+1)
		addKey()
	}
	return min(average, 1)
}
