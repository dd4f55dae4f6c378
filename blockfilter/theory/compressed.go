package theory

import "math"

// Entropy is the binary entropy H(p) = −p·log2 p − (1−p)·log2(1−p), in bits.
func Entropy(p float64) float64 {
	if p == 0 || p == 1 {
		return 0
	}
	return -(p*math.Log(p) + (1-p)*math.Log1p(-p)) / math.Ln2
}

// StoredBits is the size per key of a flat Bloom filter of arrayBits bits per
// key and k probes once it is compressed to its entropy, arrayBits·H(e^(−k/arrayBits))
// (Mitzenmacher, "Compressed Bloom Filters", 2002). The rate of
// such a filter is BloomRate(arrayBits, k). A real codec needs a little more.
func StoredBits(arrayBits float64, k int) float64 {
	return arrayBits * Entropy(math.Exp(-float64(k)/arrayBits))
}

// BestCompressed is the flat Bloom filter with the least false-positive rate
// that compresses to storedBits bits per key and whose array has at most
// maxArrayBits bits per key. Larger arrays with fewer probes mostly do
// better, so that the limit decides, down to k = 1. The rate is
// BloomRate(arrayBits, k). It returns NaN and 0 unless both arguments are
// positive.
func BestCompressed(storedBits, maxArrayBits float64) (arrayBits float64, k int) {
	if !(storedBits > 0 && maxArrayBits > 0) {
		return math.NaN(), 0
	}
	least := math.Inf(1)
	for probes := range BloomProbes(storedBits) + 1 {
		array := arrayFor(storedBits, maxArrayBits, probes+1)
		if rate := BloomRate(array, probes+1); rate < least {
			arrayBits, k, least = array, probes+1, rate
		}
	}
	return arrayBits, k
}

// arrayFor is the largest array that k probes leave compressible to the stored
// bits. The stored size grows with the array.
func arrayFor(storedBits, maxArrayBits float64, k int) float64 {
	if StoredBits(maxArrayBits, k) <= storedBits {
		return maxArrayBits
	}
	low, high := storedBits, maxArrayBits
	for high-low > 1e-9*high {
		middle := low + (high-low)/2
		if StoredBits(middle, k) <= storedBits {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
