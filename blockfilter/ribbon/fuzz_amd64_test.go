//go:build !purego

package ribbon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// FuzzKernels compares the kernel with the columns' parities.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("the words of the columns of two blocks"), uint8(3), uint64(1), uint64(1<<63), uint32(5))
	f.Fuzz(func(t *testing.T, words []byte, columns uint8, lo, hi uint64, junk uint32) {
		r := reach{columns: 1 + uint64(columns)%maxColumns, lo: lo, hi: hi}
		blocks := make([]byte, 16*r.columns+trailer.Size)
		copy(blocks, words)
		value := r.value(blocks)
		if useAVX2 {
			require.True(t, matchesAVX2(&blocks[0], r.columns, lo, hi, value|junk&^r.mask()))
			require.Equal(t, (value^junk)&r.mask() == 0, matchesAVX2(&blocks[0], r.columns, lo, hi, junk))
		}
		require.Equal(t, (value^junk)&r.mask() == 0, r.matchesGeneric(blocks, junk))
	})
}
