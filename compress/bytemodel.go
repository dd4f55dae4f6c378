package compress

import "math/bits"

// scaleBits is the precision of the model: frequencies are parts of 2^24. Each
// byte value gets one part at least, which costs 256·2^-24·log2(e) = 2·10^-5
// bits per byte: 0.4 % of the entropy at p = 4.5·10^-5, the sparsest array in
// use.
const scaleBits = 24

// byteModel gives every byte value its probability when the bits are
// independent and each is set with probability p: a byte of c ones has
// p^c·(1-p)^(8-c). Coding a byte at a time is exact for such bits and eight
// times fewer steps.
//
// Byte values are ordered by their number of ones; order holds them, start
// their ranges in [0, 2^24), value j taking [start[j], start[j+1]). The last
// also takes what rounding leaves, less than 512 parts.
type byteModel struct {
	order [256]uint8
	start [257]uint32
}

// newByteModel uses integers alone: a packed array must mean the same on
// machines that round differently.
func newByteModel(ones, slots uint64) *byteModel {
	// p and q = 1-p in units of 2^-63.
	p, _ := bits.Div64(ones>>1, ones<<63, max(slots, 1))
	q := uint64(1)<<63 - p
	var frequency [9]uint32
	for c := range frequency {
		product := uint64(1) << 63
		for range c {
			product = mulFixed(product, p)
		}
		for range 8 - c {
			product = mulFixed(product, q)
		}
		frequency[c] = uint32(mulFixed(product, 1<<scaleBits-256)) + 1
	}
	m := new(byteModel)
	j := 0
	for c, f := range frequency {
		for b := range 256 {
			if bits.OnesCount8(uint8(b)) == c {
				m.order[j] = uint8(b)
				m.start[j+1] = m.start[j] + f
				j++
			}
		}
	}
	m.start[256] = 1 << scaleBits
	return m
}

// mulFixed returns a·b/2^63 for a, b <= 2^63.
func mulFixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi<<1 | lo>>63
}
