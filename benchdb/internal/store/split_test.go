package store

import (
	"bytes"
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplitComparer: keys are ordered by their prefixes and then by the rest, and
// no prefix lies between one and its successor, nor any key of that prefix behind
// it.
func TestSplitComparer(t *testing.T) {
	c := splitComparer(3)
	keys := [][]byte{
		{}, []byte("a"), []byte("a\x00"), []byte("ab"), []byte("ab\xff"), []byte("ab\xff\xff"), []byte("abc"), []byte("abcd"),
		[]byte("abd"), []byte("b\xff\xff"), []byte("b\xff\xff\xff"), []byte("c"), []byte("caa"),
	}
	for _, a := range keys {
		prefix := a[:c.Split(a)]
		next := c.ImmediateSuccessor(nil, prefix)
		require.Equal(t, len(next), c.Split(next))
		require.Negative(t, c.Compare(a, next), "%q, %q", a, next)
		for _, b := range keys {
			other := b[:c.Split(b)]
			require.Equal(t, cmp.Or(bytes.Compare(prefix, other), bytes.Compare(a[len(prefix):], b[len(other):])), c.Compare(a, b))
			require.False(t, bytes.Compare(prefix, other) < 0 && bytes.Compare(other, next) < 0, "%q < %q < %q", prefix, other, next)
		}
	}
}
