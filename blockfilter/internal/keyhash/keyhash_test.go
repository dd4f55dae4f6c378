package keyhash

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func key(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

func TestCollector(t *testing.T) {
	for _, n := range []int{0, 1, 2, chunkLen - 1, chunkLen, chunkLen + 1, 3*chunkLen + 7} {
		c := Collector{Seed: 42}
		// Twice: a released collector starts afresh.
		for range 2 {
			var want []uint64
			for i := range n {
				for range 1 + i%3 {
					c.Add(key(i))
				}
				want = append(want, Sum(key(i), 42))
			}
			got := c.Hashes()
			require.Equal(t, want, slices.Concat(got...), "n=%d", n)
			require.Equal(t, n, Count(got))
			c.Release()
			require.Empty(t, c.Hashes())
		}
	}
}

// TestFirstKeyIsNoRepeat keeps a first key whatever its hash is, also that of
// an empty collector's "hash added last".
func TestFirstKeyIsNoRepeat(t *testing.T) {
	ofHash0 := []byte("\x42\xd5\x68\xe1\x38\xd7\x27\xff")
	require.Zero(t, Sum(ofHash0, 0))
	for _, k := range [][]byte{ofHash0, key(1)} {
		for _, last := range []uint64{0, Sum(k, 0)} {
			c := Collector{last: last}
			c.Add(k)
			require.Equal(t, 1, Count(c.Hashes()))
		}
	}
}

func TestSeedChangesHash(t *testing.T) {
	for _, length := range []int{0, 1, 3, 8, 16, 32, 128, 240, 241, 1000} {
		k := make([]byte, length)
		require.NotEqual(t, Sum(k, 1), Sum(k, 2), "length %d", length)
	}
}

func TestSumAllocates0(t *testing.T) {
	for _, length := range []int{16, 128, 241, 5000} {
		k := make([]byte, length)
		require.Zero(t, testing.AllocsPerRun(100, func() { Sum(k, 7) }), "length %d", length)
	}
}

func TestScaleSpans(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 1000, 1 << 24} {
		require.Zero(t, Scale(0, n))
		require.Equal(t, n-1, Scale(^uint64(0), n))
	}
}
