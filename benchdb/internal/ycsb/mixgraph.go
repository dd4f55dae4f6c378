package ycsb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// The model of ZippyDB at Facebook: Cao et al., "Characterizing, Modeling, and
// Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020, with the
// parameters that RocksDB's db_bench has for its benchmark mixgraph.
const (
	// The popularity of the i-th of 30 ranges of keys is a·e^(bi) + c·e^(di), i from
	// 1.
	keyRanges                        = 30
	rangeA, rangeB, rangeC, rangeD   = 14.18, -2.917, 0.0164, -0.08082
	keyA, keyB                       = 0.002312, 0.3467 // keys of a range: P(seed <= s) = a·s^b
	valueK, valueSigma, maxValueSize = 0.2615, 25.45, 1024
	scanK, scanSigma, maxScanLength  = 2.517, 14.236, 10_000
	minValueSize                     = 10
)

// pareto draws from the generalized Pareto distribution from 0 on, rounded up.
func pareto(rng *rand.Rand, k, sigma float64) float64 {
	u := 1 - rng.Float64() // above 0
	return math.Ceil(sigma * (math.Pow(u, -k) - 1) / k)
}

// valueSize draws the size of a value; large ones are wrapped, as db_bench does.
func valueSize(rng *rand.Rand) int {
	size := pareto(rng, valueK, valueSigma)
	if size > maxValueSize {
		return int(math.Mod(size, maxValueSize))
	}
	return int(max(size, minValueSize))
}

// scanLength draws how many records a scan reads.
func scanLength(rng *rand.Rand) int {
	return int(max(math.Mod(pareto(rng, scanK, scanSigma), maxScanLength), 1))
}

// rangeBounds returns the upper ends of the ranges' shares of popularity. Ranges
// are in a random order, the same one always.
func rangeBounds() (bounds []float64) {
	sum := 0.0
	for _, i := range rand.New(rand.NewPCG(keyRanges, 0)).Perm(keyRanges) {
		x := float64(i + 1)
		sum += rangeA*math.Exp(rangeB*x) + rangeC*math.Exp(rangeD*x)
		bounds = append(bounds, sum)
	}
	for i := range bounds {
		bounds[i] /= sum
	}
	return bounds
}

// newKeyRanges is db_bench's choice of keys with both its distributions, that of
// ranges and that of keys: first a range, and in it the key whose place is the hash
// of a seed. Ranges are of keys in their order: ranked are the records in that.
func newKeyRanges(ranked []uint64) chooser {
	bounds := rangeBounds()
	size := uint64(max(len(ranked)/keyRanges, 1))
	return func(rng *rand.Rand, _ uint64) uint64 {
		first := uint64(sort.SearchFloat64s(bounds, rng.Float64())) * size
		return ranked[(first+hash(keySeed(rng))%size)%uint64(len(ranked))]
	}
}

func keySeed(rng *rand.Rand) uint64 { return uint64(math.Ceil(math.Pow(rng.Float64()/keyA, 1/keyB))) }

// ranked returns the numbers of the first records in the order of their keys.
func (k Keys) ranked(count uint64) []uint64 {
	places := make([]uint64, count)
	numbers := make([]uint64, count)
	for n := range count {
		places[n], numbers[n] = k.place(n), n
	}
	slices.SortFunc(numbers, func(a, b uint64) int { return cmp.Compare(places[a], places[b]) })
	return numbers
}
