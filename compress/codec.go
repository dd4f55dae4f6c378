package compress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

var (
	errCorrupt  = errors.New("compress: corrupt input")
	errTooLarge = errors.New("compress: decoded size exceeds the limit")
)

// A Codec packs a whole array of bytes and unpacks it bit for bit. Codecs have
// no state and may be used concurrently.
type Codec interface {
	// Name identifies the codec in text, as accepted by [ParseCodec].
	Name() string
	// Encode appends the packed form of src to dst. dst and src must not
	// overlap.
	Encode(dst, src []byte) []byte
	// Decode appends the array packed in src to dst. It accepts any bytes. It
	// is an error if no encoder wrote them, or if the array has more than limit
	// bytes, of which it allocates nothing. There is no checksum, so damage can
	// also turn one array's packed form into another's. After an error the
	// content of dst past its length is undefined.
	Decode(dst, src []byte, limit int) ([]byte, error)
}

// Codecs lists every codec, the smallest output for a sparse array first.
func Codecs() []Codec { return []Codec{Arithmetic, Snappy} }

// ParseCodec returns the codec of that name.
func ParseCodec(name string) (Codec, error) {
	for _, c := range Codecs() {
		if c.Name() == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("compress: unknown codec %q; want %s or %s", name, Arithmetic.Name(), Snappy.Name())
}

// Entropy returns H(p), the information in bits of one slot that is set with
// probability p.
func Entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log1p(-p)/math.Ln2
}

// ArrayEntropy returns m·H(p) in bits for an array of m = 8·len(array) slots, p
// being the share of set bits: what a perfect coder that knows nothing but p
// would need.
func ArrayEntropy(array []byte) float64 {
	m := 8 * float64(len(array))
	return m * Entropy(float64(countOnes(array))/max(m, 1))
}

func countOnes(array []byte) (ones uint64) {
	for len(array) >= 8 {
		ones += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(array)))
		array = array[8:]
	}
	for _, b := range array {
		ones += uint64(bits.OnesCount8(b))
	}
	return ones
}
