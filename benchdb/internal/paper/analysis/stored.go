package analysis

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/compress"
)

// StoredBits is the size per key of a flat Bloom filter of arrayBits bits per
// key and k probes once it is compressed to its entropy,
// arrayBits·H(e^(−k/arrayBits)) (Mitzenmacher 2002). The rate of such a filter
// is bloom.Rate(arrayBits, k). A real codec needs a little more.
func StoredBits(arrayBits float64, k int) float64 {
	return arrayBits * compress.Entropy(math.Exp(-float64(k)/arrayBits))
}

// BestStored is the array with the lowest rate that an entropy coder packs into
// the given bits per key: its bits per key, at most maxArrayBits, and its number
// of probes. At 8 bits per key 14 bits allow k = 2 and 1.77 %, 92 bits k = 1 and
// 1.08 %.
func BestStored(bitsPerKey, maxArrayBits float64) (arrayBits float64, k int) {
	// The uncompressed filter's best k has half of the bits set; more probes
	// would make a dense array of the same entropy.
	most := max(1, int(math.Round(bitsPerKey*math.Ln2)))
	least := math.Inf(1)
	for probes := 1; probes <= most; probes++ {
		low, high := 0.0, maxArrayBits
		for range 50 {
			if middle := (low + high) / 2; StoredBits(middle, probes) <= bitsPerKey {
				low = middle
			} else {
				high = middle
			}
		}
		if rate := bloom.Rate(low, probes); rate < least {
			arrayBits, k, least = low, probes, rate
		}
	}
	return arrayBits, k
}
