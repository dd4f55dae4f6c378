package theory

import (
	"math"

	"github.com/gravelkv/gravel/compress"
)

// StoredBits is the size per key of a flat Bloom filter of arrayBits bits per
// key and k probes once it is compressed to its entropy,
// arrayBits·H(e^(−k/arrayBits)) (Mitzenmacher, "Compressed Bloom Filters",
// 2002). The rate of such a filter is BloomRate(arrayBits, k). A real codec
// needs a little more; compress.PlanWhole has the best array for a stored size.
func StoredBits(arrayBits float64, k int) float64 {
	return arrayBits * compress.Entropy(math.Exp(-float64(k)/arrayBits))
}
