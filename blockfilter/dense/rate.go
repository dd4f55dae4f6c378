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
// with the largest t for which their equations have a solution. That halves the
// rate for as many absent keys, so the line has
//
//	2⁻ᶜ·(1 − E[t]/64)
//
// The last equation that a column of ρ slots has room for is number ρ + 0.6 on
// average, and half a 32nd of the keys is lost to rounding. That is within 0.5
// % of the rate by the exact probabilities of each t.
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
	left := float64(room - shape.columns*shape.slots)
	share := min((left+0.6)/float64(keys)-0.5/shares, float64(shares-1)/shares)
	return math.Exp2(-float64(shape.columns)) * (1 - max(share, 0)/2)
}
