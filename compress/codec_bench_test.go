package compress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomArray sets each of 8·size bits with probability p.
func randomArray(size int, p float64, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	array := make([]byte, size)
	if p > 0.25 {
		for i := range 8 * size {
			if random.Float64() < p {
				array[i/8] |= 1 << (i % 8)
			}
		}
		return array
	}
	gap := func() float64 { return math.Floor(math.Log1p(-random.Float64()) / math.Log1p(-p)) }
	for i := gap(); i < 8*float64(size); i += 1 + gap() {
		array[int(i)/8] |= 1 << (int(i) % 8)
	}
	return array
}

func BenchmarkCodec(b *testing.B) {
	for _, p := range []float64{0.5, 0.133, 0.0108, 4.5e-5} {
		array := randomArray(1<<20, p, 7)
		for _, c := range Codecs() {
			packed := c.Encode(nil, array)
			b.Run(fmt.Sprintf("encode/%s/p=%g", c.Name(), p), func(b *testing.B) {
				b.SetBytes(int64(len(array)))
				b.ReportMetric(float64(8*len(packed))/ArrayEntropy(array), "size/entropy")
				dst := make([]byte, 0, len(array)+len(array)/4)
				for b.Loop() {
					dst = c.Encode(dst[:0], array)
				}
			})
			b.Run(fmt.Sprintf("decode/%s/p=%g", c.Name(), p), func(b *testing.B) {
				b.SetBytes(int64(len(array)))
				dst := make([]byte, 0, len(array))
				for b.Loop() {
					var err error
					if dst, err = c.Decode(dst[:0], packed, len(array)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
