package compress

import "math"

// A Plan is a compressed Bloom filter's geometry and what is to be expected of
// it, for any large number of keys.
type Plan struct {
	SlotsPerKey float64 // m: slots of the array for each key
	Probes      int     // k: slots that each key sets
	BucketBits  int     // of a [Sparse] array; 0 if the array is packed as a whole
	BitsPerKey  float64 // stored, all structure included
	FPR         float64 // expected share of absent keys whose k slots are all set
}

// PlanWhole returns the array with the lowest false-positive rate that an
// entropy coder packs into the given bits per key (Mitzenmacher 2002). It has
// to be unpacked as a whole before it is read, and maxSlotsPerKey limits that
// work and the memory: at 8 bits per key 14 slots allow k = 2 and 1.77 %, 92
// slots k = 1 and 1.08 %. Both must be positive and finite.
func PlanWhole(bitsPerKey, maxSlotsPerKey float64) Plan {
	// The uncompressed filter's best k has half of the slots set; more probes
	// would make a dense array of the same entropy.
	most := max(1, math.Round(bitsPerKey*math.Ln2))
	return lowest(1, int(most), fpr, func(k int) Plan {
		return wholePlan(k, bisect(maxSlotsPerKey, func(slots float64) bool { return wholePlan(k, slots).BitsPerKey <= bitsPerKey }))
	})
}

func wholePlan(k int, slotsPerKey float64) Plan {
	p := density(slotsPerKey, k)
	return Plan{SlotsPerKey: slotsPerKey, Probes: k, BitsPerKey: slotsPerKey * Entropy(p), FPR: math.Pow(p, float64(k))}
}

// PlanSparse returns the [Sparse] array with the lowest false-positive rate in
// the given bits per key, heads included. The work of a question is one line
// however many slots the array has, so one probe is best at every size: in 8
// bits per key the rate is 1.20 % with k = 1, 2.65 % with k = 2 and 4.38 % with
// k = 3.
func PlanSparse(bitsPerKey float64) Plan {
	// The best r lies 0.8 to 2.4 below the bits per key, or is 1. And n keys in
	// m >= 1 slots each take more than log2(m) bits.
	least := max(1, min(int(bitsPerKey)-3, MaxBucketBits))
	most := max(1, min(int(bitsPerKey), MaxBucketBits))
	return lowest(least, most, fpr, func(r int) Plan {
		return sparsePlan(r, bisect(math.Exp2(bitsPerKey), func(slots float64) bool { return SparseBits(slots, r) <= bitsPerKey }))
	})
}

// PlanSparseRate returns the smallest [Sparse] array with that false-positive
// rate, 0 < rate < 1.
func PlanSparseRate(rate float64) Plan {
	return lowest(1, MaxBucketBits, bitsPerKey, func(r int) Plan { return sparsePlan(r, slotsPerKey(rate)) })
}

func sparsePlan(bucketBits int, slotsPerKey float64) Plan {
	return Plan{
		SlotsPerKey: slotsPerKey,
		Probes:      1,
		BucketBits:  bucketBits,
		BitsPerKey:  SparseBits(slotsPerKey, bucketBits),
		FPR:         density(slotsPerKey, 1),
	}
}

// SparseBits returns the expected bits per key of a [Sparse] array in which
// each key sets one slot, by the formula there.
func SparseBits(slotsPerKey float64, bucketBits int) float64 {
	bucketSlots := float64(uint(1) << bucketBits)
	keysPerBucket := bucketSlots / slotsPerKey
	set := bucketSlots * density(slotsPerKey, 1)
	notEmpty := -math.Expm1(-keysPerBucket)
	return (8*headBytes/float64(LineBuckets) + notEmpty + float64(bucketBits)*set) / keysPerBucket
}

// density returns the expected share of set slots, p = 1-e^(-k/m).
func density(slotsPerKey float64, probes int) float64 {
	return -math.Expm1(-float64(probes) / slotsPerKey)
}

// slotsPerKey is the inverse of density, at one probe.
func slotsPerKey(density float64) float64 {
	return -1 / math.Log1p(-density)
}

func fpr(p Plan) float64        { return p.FPR }
func bitsPerKey(p Plan) float64 { return p.BitsPerKey }

// lowest returns that of the plans first to last which costs least.
func lowest(first, last int, cost func(Plan) float64, plan func(int) Plan) Plan {
	best := plan(first)
	for i := first + 1; i <= last; i++ {
		if p := plan(i); cost(p) < cost(best) {
			best = p
		}
	}
	return best
}

// bisect returns the largest x in (0, hi] for which fits holds, given that it
// does below some point and not above it, within hi/2^50.
func bisect(hi float64, fits func(float64) bool) float64 {
	if fits(hi) {
		return hi
	}
	lo := 0.0
	for range 50 {
		if mid := lo + (hi-lo)/2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
