package theory

import (
	"math"
	"sync"
)

// The shape of the lines of package dense.
const (
	denseRoom       = lineSize - 16 // bits beside a header
	denseMaxColumns = 31
	denseMaxSlots   = 124 // of a line whose rows select from all slots
	denseShares     = 32
	denseSquare     = 0.96 // of the lines have as many slots as keys: measured
)

// denseBands are the lines of more keys, whose rows select from 128 neighbouring
// slots: at most so many keys have so many columns.
var denseBands = [...]struct{ keys, columns int }{{161, 3}, {243, 2}, {487, 1}}

// DenseRate is the false-positive rate of a dense filter: that of a line of X
// keys averaged over X, which is Poisson with mean 512/bitsPerKey.
//
// A line of X keys has m slots, c = ⌊496/m⌋ columns and ρ = 496 − c·m bits left,
// with m = X for 96 % of the lines and X + 1 for the others. The bits left are a
// column for t/32 of the keys, with the largest t for which the keys' equations
// have a solution: X·t/32 of them on average, in ρ slots. That halves the rate
// for as many absent keys, so the line has
//
//	2⁻ᶜ·(1 − E[t]/64)
//
// It is NaN unless bitsPerKey > 0, and 1 below 1/64 bits. The first call takes
// 3 ms, others 1 µs.
func DenseRate(bitsPerKey float64) float64 {
	return denseAverage(bitsPerKey, denseLineRates())
}

// DenseBits is the least number of bits per key with which a dense filter reaches
// the rate: 0 for rates of 1 and more, +Inf for rates that 64 bits do not reach.
func DenseBits(rate float64) float64 { return invert(DenseRate, rate) }

// denseAverage averages the rates of lines over their keys. Lines of more keys
// than there are rates have a rate of 1.
func denseAverage(bitsPerKey float64, rates []float64) float64 {
	switch {
	case !(bitsPerKey > 0):
		return math.NaN()
	case bitsPerKey < minBits:
		return 1
	}
	keys := -1
	return poissonAverage(lineSize/bitsPerKey, func() float64 {
		if keys++; keys < len(rates) {
			return rates[keys]
		}
		return 1
	})
}

// denseLineRates returns the rate of a line for each number of keys.
var denseLineRates = sync.OnceValue(func() []float64 {
	rates := []float64{0}
	for keys := 1; keys <= denseMaxSlots; keys++ {
		rate := denseLineRate(keys, keys)
		if keys < denseMaxSlots {
			rate = denseSquare*rate + (1-denseSquare)*denseLineRate(keys, keys+1)
		}
		rates = append(rates, rate)
	}
	for _, band := range denseBands {
		for len(rates) <= band.keys {
			rates = append(rates, math.Exp2(-float64(band.columns)))
		}
	}
	return rates
})

// denseLineRate is the rate of a line of some keys and slots, or a few more.
func denseLineRate(keys, slots int) float64 {
	slots = max(slots, denseRoom/denseMaxColumns)
	columns := denseRoom / slots
	return math.Exp2(-float64(columns)) * (1 - denseShare(keys, denseRoom-columns*slots)/2)
}

// denseShare is the mean share of some keys for which a column of some slots has
// a solution: Σ P(the keys of t parts have one)/32 over t, since those of fewer
// parts have one then.
func denseShare(keys, slots int) float64 {
	solvable := solvableColumns(keys, slots)
	share := 0.0
	for t := 1; t < denseShares; t++ {
		p := float64(t) / denseShares
		weight := math.Pow(1-p, float64(keys)) // of no key in t parts, then of one more
		for k, s := range solvable {
			share += weight * s / denseShares
			weight *= float64(keys-k) / float64(k+1) * p / (1 - p)
		}
	}
	return share
}

// solvableColumns returns for each number of random equations, from 0 to some,
// the probability that they have a solution in one column of slots: a row that
// those before span, with probability 2^(rank−slots), asks for the right bit in
// half of the cases.
func solvableColumns(equations, slots int) []float64 {
	ranks := make([]float64, slots+1) // the probability of each rank and a solution
	ranks[0] = 1
	solvable := []float64{1}
	for range equations {
		sum := 0.0
		for rank := slots; rank >= 0; rank-- {
			dependent := math.Exp2(float64(rank - slots))
			p := ranks[rank] * dependent / 2
			if rank > 0 {
				p += ranks[rank-1] * (1 - dependent/2)
			}
			ranks[rank] = p
			sum += p
		}
		solvable = append(solvable, sum)
	}
	return solvable
}
