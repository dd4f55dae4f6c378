package compress

import (
	"fmt"
	"slices"

	"github.com/golang/snappy"
)

// Snappy is Google's byte-oriented LZ77 format. It finds repeated byte strings,
// so it gains little on an array of independent bits unless nearly all of them
// are equal.
var Snappy Codec = snappyCodec{}

type snappyCodec struct{}

func (snappyCodec) Name() string { return "snappy" }

// Encode panics on an src of more than 4 GiB, which the format cannot hold.
func (snappyCodec) Encode(dst, src []byte) []byte {
	bound := snappy.MaxEncodedLen(len(src))
	if bound < 0 {
		panic("compress: snappy: source exceeds the format's limit")
	}
	dst = slices.Grow(dst, bound)
	packed := snappy.Encode(dst[len(dst):len(dst)+bound], src)
	return dst[:len(dst)+len(packed)]
}

func (snappyCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	size, err := snappy.DecodedLen(src)
	if err != nil {
		return dst, fmt.Errorf("%w: snappy: %v", errCorrupt, err)
	}
	if size > limit {
		return dst, fmt.Errorf("%w: %d bytes, limit %d", errTooLarge, size, limit)
	}
	dst = slices.Grow(dst, size)
	if _, err := snappy.Decode(dst[len(dst):len(dst)+size], src); err != nil {
		return dst, fmt.Errorf("%w: snappy: %v", errCorrupt, err)
	}
	return dst[:len(dst)+size], nil
}
