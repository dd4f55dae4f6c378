package bloom

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// Rate is the false-positive rate (1 − e^(−k/b))^k of a flat filter of b bits
// per key and k independent probes, in the limit of many keys (E of Burns,
// equation 58; Kirsch and Mitzenmacher 2008, section 2). All schemes have this
// limit. It is NaN unless bitsPerKey > 0 and k ≥ 1.
func Rate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 {
		return math.NaN()
	}
	return math.Pow(-math.Expm1(-float64(k)/bitsPerKey), float64(k))
}

// bestProbes is the number of probes k ≥ 1 with the least Rate, one of the two
// integers next to bitsPerKey·ln 2.
func bestProbes(bitsPerKey float64) int {
	k := max(1, int(bitsPerKey*math.Ln2))
	if Rate(bitsPerKey, k+1) < Rate(bitsPerKey, k) {
		return k + 1
	}
	return k
}

// LineRate is the false-positive rate of a filter whose lines have 512 bits and
// whose probes are independent (Putze, Sanders and Singler 2007). It takes a k
// above 16 for 16. It is NaN unless bitsPerKey > 0 and k ≥ 1.
//
// A line holds X keys, a Poisson variable with mean λ = 512/bitsPerKey. All of
// them miss i given bits of the line with probability
//
//	E[(1 − i/512)^(kX)] = exp(−λ·(1 − (1 − i/512)^k))
//
// The rate follows by inclusion and exclusion over the distinct bits of an
// absent key's probes. Its terms alternate in sign: the error is below 1e-11.
func LineRate(bitsPerKey float64, k int) float64 {
	if !(bitsPerKey > 0) || k < 1 {
		return math.NaN()
	}
	k = min(k, line.MaxProbes)
	var distinct [line.MaxProbes + 1]float64 // the probability of each number of distinct bits
	distinct[0] = 1
	for range k {
		for d := k; d > 0; d-- {
			distinct[d] = distinct[d]*float64(d)/line.Bits + distinct[d-1]*(1-float64(d-1)/line.Bits)
		}
		distinct[0] = 0
	}
	rate := 0.0
	for i := range k + 1 {
		subsets, binomial := 0.0, 1.0 // the expected number of sets of i of the bits
		for d := i; d <= k; d++ {
			subsets += distinct[d] * binomial
			binomial *= float64(d+1) / float64(d+1-i)
		}
		if i%2 == 1 {
			subsets = -subsets
		}
		missed := math.Exp(line.Bits / bitsPerKey * math.Expm1(float64(k)*math.Log1p(-float64(i)/line.Bits)))
		rate += subsets * missed
	}
	return rate
}

// lineSteps are the bits per key from which one more probe has the lesser
// LineRate: k = 2 from 2.082 bits, k = 7 from 10.058. A filter is built for
// every table, and computing k there costs too much; TestLineSteps computes
// them.
var lineSteps = [line.MaxProbes - 1]float64{
	2.0820, 3.5842, 5.1037, 6.6734, 8.3171, 10.0580, 11.9206, 13.9323,
	16.1231, 18.5275, 21.1846, 24.1396, 27.4448, 31.1612, 35.3603,
}

// lineProbes is the number of probes k, 1 to 16, with the least LineRate.
func lineProbes(bitsPerKey float64) int {
	k := 1
	for _, step := range lineSteps {
		if bitsPerKey >= step {
			k++
		}
	}
	return k
}
