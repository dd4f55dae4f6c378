package store

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// splitComparer orders keys by their bytes, and takes the first of them for
// their prefix (pebble.Comparer.Split), so many or all. Pebble's table filters
// hold these prefixes.
func splitComparer(length int) *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = fmt.Sprintf("benchdb.split.%d", length)
	c.Split = func(key []byte) int { return min(length, len(key)) }
	c.ImmediateSuccessor = func(dst, prefix []byte) []byte {
		if len(prefix) < length {
			return append(append(dst, prefix...), 0)
		}
		// Prefixes of bytes 0xff alone, which no key has here, have no
		// successor.
		last := len(bytes.TrimRight(prefix, "\xff"))
		dst = append(dst, prefix[:last]...)
		dst[len(dst)-1]++
		return dst
	}
	return &c
}
