package theory

import "math"

// MaxLineProbes is the largest k that LineProbes considers.
const MaxLineProbes = 16

const lineSize = 512 // bits

// minBits is the least bits per key for which keys are simulated one by one:
// filters that small say yes to 99.97 % and more.
const minBits = 1.0 / 64

// LineRate is the false-positive rate of a blocked Bloom filter whose lines
// have 512 bits: the exact rate Standard.Rate(512, j, k) averaged over the load
// j of a line, which is Poisson with mean 512/bitsPerKey (Putze, Sanders and
// Singler 2007). An absent key picks its line without regard to the load.
//
// It is NaN unless bitsPerKey > 0 and 1 ≤ k ≤ 16, and 1 below 1/64 bits. The
// cost is about 500·k²/bitsPerKey multiplications: 9 µs at 10 bits and k = 6.
func LineRate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 || k > MaxLineProbes {
		return math.NaN()
	}
	if bitsPerKey < minBits {
		return 1
	}
	var buffer [MaxLineProbes + 1]float64
	uncovered := buffer[:k+1]
	drawDistinct(uncovered, lineSize)
	return poissonAverage(lineSize/bitsPerKey, func() float64 {
		rate := uncovered[0]
		for range k {
			cover(uncovered, lineSize)
		}
		return rate
	})
}

// lineSteps are the bits per key from which one more probe has the lesser
// LineRate: k = 2 from 2.082 bits, k = 7 from 10.058. A filter is built for
// every table, and computing k there costs 25 µs; TestLineSteps computes them.
var lineSteps = [MaxLineProbes - 1]float64{
	2.0820, 3.5842, 5.1037, 6.6734, 8.3171, 10.0580, 11.9206, 13.9323,
	16.1231, 18.5275, 21.1846, 24.1396, 27.4448, 31.1612, 35.3603,
}

// LineProbes is the number of probes k, 1 to 16, with the least LineRate.
func LineProbes(bitsPerKey float64) int {
	k := 1
	for _, step := range lineSteps {
		if bitsPerKey >= step {
			k++
		}
	}
	return k
}

// LineBits is the least number of bits per key with which a blocked Bloom
// filter, given its best k, reaches the rate: 0 for rates of 1 and more, +Inf
// for rates that 64 bits do not reach.
func LineBits(rate float64) float64 {
	return invert(func(bits float64) float64 { return LineRate(bits, LineProbes(bits)) }, rate)
}

// poissonAverage averages the rate over the number of keys in a line. Next
// returns the rate of a line of no key, then of one key, and so on.
func poissonAverage(mean float64, next func() float64) float64 {
	// Twelve standard deviations bound the loads that count on both sides; the
	// least rate here is 1e-8 at 64 bits per key.
	const negligible = 1e-30
	first := max(0, int(mean-12*math.Sqrt(mean)))
	for range first {
		next()
	}
	logFactorial, _ := math.Lgamma(float64(first + 1))
	weight := math.Exp(float64(first)*math.Log(mean) - mean - logFactorial)
	average := 0.0
	for load := first; float64(load) <= mean || weight >= negligible; load++ {
		average += weight * next()
		weight *= mean / float64(load+1)
	}
	return min(average, 1)
}
