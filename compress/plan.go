package compress

import "math"

// PlanSparse returns the slots per key and the bucket bits of the [Sparse] array
// of most slots in the given bits per key, heads included. Each of many keys sets
// one slot, so that 1-e^(-1/slotsPerKey) of absent keys meet a set one.
//
// The work of a question is one line however many slots the array has, so one
// slot for each key is best at every size: in 8 bits per key 1.20 % of absent
// keys pass, where two slots would let 2.65 % pass and three 4.38 %.
func PlanSparse(bitsPerKey float64) (slotsPerKey float64, bucketBits int) {
	// The best r lies 0.8 to 2.4 below the bits per key, or is 1.
	least := max(1, min(int(bitsPerKey)-3, MaxBucketBits))
	most := max(1, min(int(bitsPerKey), MaxBucketBits))
	for r := least; r <= most; r++ {
		if slots := mostSlots(bitsPerKey, r); slots > slotsPerKey {
			slotsPerKey, bucketBits = slots, r
		}
	}
	return slotsPerKey, bucketBits
}

// mostSlots returns the slots per key of an array of those bits per key.
func mostSlots(bitsPerKey float64, bucketBits int) float64 {
	// n keys in m >= 1 slots each take more than log2(m) bits.
	low, high := 0.0, math.Exp2(bitsPerKey)
	for range 50 {
		middle := low + (high-low)/2
		if SparseBits(middle, bucketBits) <= bitsPerKey {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// LeastSparseBits returns the bits per key of the smallest [Sparse] array of which
// a share of absent keys, 0 < rate < 1, meet a set slot.
func LeastSparseBits(rate float64) float64 {
	least := math.Inf(1)
	for r := 1; r <= MaxBucketBits; r++ {
		least = min(least, SparseBits(-1/math.Log1p(-rate), r))
	}
	return least
}

// SparseBits returns the expected bits per key of a [Sparse] array in which
// each key sets one slot, by the formula there.
func SparseBits(slotsPerKey float64, bucketBits int) float64 {
	bucketSlots := float64(uint(1) << bucketBits)
	keysPerBucket := bucketSlots / slotsPerKey
	set := bucketSlots * -math.Expm1(-1/slotsPerKey)
	notEmpty := -math.Expm1(-keysPerBucket)
	return (8*headBytes/float64(LineBuckets) + notEmpty + float64(bucketBits)*set) / keysPerBucket
}
