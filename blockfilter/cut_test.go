package blockfilter_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
)

// TestCut asks cut blocks of each family that can be cut. The others say so.
func TestCut(t *testing.T) {
	for _, f := range families {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			w := f.ForLevel(3).NewWriter()
			for i := range 3000 {
				w.AddKey(key(i))
			}
			block := w.Finish(nil)
			whole, err := blockfilter.Describe(block)
			require.NoError(t, err)
			if f.Family() != "ribbon" {
				require.Zero(t, whole.Fingerprint)
				dst, err := blockfilter.Cut([]byte("as it was"), block, 5)
				require.ErrorIs(t, err, blockfilter.ErrUncuttable)
				require.Equal(t, "as it was", string(dst))
				_, err = blockfilter.CutSize(block, 5)
				require.ErrorIs(t, err, blockfilter.ErrUncuttable)
				return
			}
			require.Equal(t, f.BitsPerKey(), whole.Fingerprint)
			for bits := whole.Fingerprint; bits >= 1; bits -= 0.75 {
				short, err := blockfilter.Cut(nil, block, bits)
				require.NoError(t, err)
				size, err := blockfilter.CutSize(block, bits)
				require.NoError(t, err)
				info, err := blockfilter.Describe(short)
				require.NoError(t, err)
				require.Equal(t, blockfilter.Info{Family: "ribbon", Keys: 3000, Bytes: size, Level: 3, Fingerprint: bits}, info)
				for i := range 3000 {
					require.True(t, blockfilter.MayContain(short, key(i)))
				}
				absent := key(3000)
				require.Zero(t, testing.AllocsPerRun(100, func() { blockfilter.MayContain(short, absent) }))
			}
			_, err = blockfilter.Cut(nil, block, whole.Fingerprint+1)
			require.ErrorContains(t, err, "bits per key must be from 1 to")
		})
	}
}

// TestCutDamaged cuts bytes that are no intact block.
func TestCutDamaged(t *testing.T) {
	block := build(policy(t, "ribbon:8"), key(1), key(2))
	later, unknown, columns := bytes.Clone(block), bytes.Clone(block), bytes.Clone(block)
	later[len(later)-3], unknown[len(unknown)-8], columns[len(columns)-6] = 2, 99, 7
	for name, damaged := range map[string][]byte{
		"no bytes": nil, "front missing": block[1:], "end missing": block[:len(block)-1],
		"later version": later, "unknown family": unknown, "other columns": columns,
	} {
		for _, bits := range []float64{5, math.NaN()} {
			dst, err := blockfilter.Cut([]byte("as it was"), damaged, bits)
			require.ErrorIs(t, err, blockfilter.ErrNotFilterBlock, name)
			require.Equal(t, "as it was", string(dst))
			_, err = blockfilter.CutSize(damaged, bits)
			require.ErrorIs(t, err, blockfilter.ErrNotFilterBlock, name)
		}
	}
}

// FuzzCut cuts arbitrary bytes to arbitrary bits: what a cut block denies, the
// whole one denies, and a block cut twice is as if cut once.
func FuzzCut(f *testing.F) {
	for _, n := range []int{0, 1, 50, 1000} {
		w := policy(f, "ribbon:5.5").NewWriter()
		for i := range n {
			w.AddKey(key(i))
		}
		f.Add(w.Finish(nil), 4.25, key(n))
	}
	f.Add(build(families[0], key(1)), 3.0, key(2))
	f.Fuzz(func(t *testing.T, block []byte, bits float64, key []byte) {
		before := bytes.Clone(block)
		size, sizeErr := blockfilter.CutSize(block, bits)
		short, err := blockfilter.Cut([]byte("prefix"), block, bits)
		require.Equal(t, before, block)
		require.Equal(t, "prefix", string(short[:6]))
		if short = short[6:]; err != nil {
			require.Empty(t, short)
			return
		}
		require.NoError(t, sizeErr)
		require.Len(t, short, size)
		require.True(t, blockfilter.MayContain(short, key) || !blockfilter.MayContain(block, key))

		least, err := blockfilter.Cut(nil, block, 1)
		require.NoError(t, err)
		again, err := blockfilter.Cut(short[:0], short, 1)
		require.NoError(t, err)
		require.Equal(t, least, again)
	})
}
