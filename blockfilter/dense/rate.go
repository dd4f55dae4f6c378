package dense

import (
	"math"
	"sync"
)

// squareShare of the lines have as many slots as keys: measured. The others
// have one more.
const squareShare = 0.96

// lineRate is the false-positive rate of lines: that of a line of X keys
// averaged over X, which is Poisson with mean 512/bitsPerKey.
//
// A line of X keys has m slots, c = ⌊496/m⌋ columns and ρ = 496 − c·m bits
// left, with m = X or X + 1. The bits left are a column for t/32 of the keys,
// with the largest t for which the keys' equations have a solution: X·t/32 of
// them on average, in ρ slots. That halves the rate for as many absent keys, so
// the line has
//
//	2⁻ᶜ·(1 − E[t]/64)
//
// The first call takes 3 ms, others 1 µs.
func lineRate(bitsPerKey float64) float64 { return average(bitsPerKey, ratesByKeys()) }

// average averages the rates of lines over the number of their keys. Lines of
// more keys than there are rates have a rate of 1.
func average(bitsPerKey float64, rates []float64) float64 {
	mean := lineBits / bitsPerKey
	weight := math.Exp(-mean) // 0 only where all lines have more keys
	passed, others := 0.0, 1.0
	for keys, rate := range rates {
		passed += weight * rate
		others -= weight
		weight *= mean / float64(keys+1)
	}
	return passed + max(0, others)
}

// ratesByKeys returns the rate of a line for each number of keys.
var ratesByKeys = sync.OnceValue(func() []float64 {
	rates := []float64{0}
	for keys := 1; keys <= maxDense; keys++ {
		rate := rateOf(keys, keys)
		if keys < maxDense {
			rate = squareShare*rate + (1-squareShare)*rateOf(keys, keys+1)
		}
		rates = append(rates, rate)
	}
	for _, band := range shapes[maxDense+1:] {
		for len(rates) <= mostInBand(band.slots) {
			rates = append(rates, math.Exp2(-float64(band.columns)))
		}
	}
	return rates
})

// rateOf is the rate of a line of that many keys and slots. Few slots become
// more.
func rateOf(keys, slots int) float64 {
	shape := shapes[max(slots, room/maxColumns)]
	left := room - shape.columns*shape.slots
	return math.Exp2(-float64(shape.columns)) * (1 - meanShare(keys, left)/2)
}

// meanShare is the mean share of the keys for which a column of that many slots
// has a solution: Σ P(the keys of t parts have one)/32 over t, since those of
// fewer parts have one then.
func meanShare(keys, slots int) float64 {
	solvable := solvableColumns(keys, slots)
	share := 0.0
	for t := 1; t < shares; t++ {
		p := float64(t) / shares
		weight := math.Pow(1-p, float64(keys)) // of no key in t parts, then of one more
		for k, s := range solvable {
			share += weight * s / shares
			weight *= float64(keys-k) / float64(k+1) * p / (1 - p)
		}
	}
	return share
}

// solvableColumns returns for each number of random equations, from 0 on, the
// probability that they have a solution in one column of slots. The rows before
// span the next one with probability 2^(rank−slots), and it then asks for the
// right bit in half of the cases.
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
