package ribbon

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

func table(t testing.TB, block []byte) Table {
	t.Helper()
	table, ok := ParseTable(block)
	require.True(t, ok)
	return table
}

func cut(t testing.TB, block []byte, bits float64) []byte {
	t.Helper()
	short, err := table(t, block).AppendCut(nil, bits)
	require.NoError(t, err)
	return short
}

// TestCut holds blocks that are cut, once or twice, to those built with as many
// bits, byte for byte.
func TestCut(t *testing.T) {
	for _, n := range append([]int{20_000, 150_000}, sizes...) {
		hashes := filtertest.Hashes(n, 15)
		whole := build(Config{BitsPerKey: 16.5}, hashes)
		require.Equal(t, 16.5, table(t, whole).BitsPerKey())
		before := whole
		for _, bits := range []float64{16.5, 16.25, 16, 12 + 255.0/256, 12, 7.3, 7.25, 2, 1.5, 1 + 1.0/256, 1} {
			short := cut(t, whole, bits)
			require.Equal(t, build(Config{BitsPerKey: bits}, hashes), short, "n=%d bits=%v", n, bits)
			require.Equal(t, math.Floor(bits*256)/256, table(t, short).BitsPerKey())
			require.Equal(t, short, cut(t, before, bits))
			before = short
			filtertest.NoFalseNegatives(t, filtertest.Asker(short, MayContain), hashes)
			for _, from := range [][]byte{whole, short} {
				size, err := table(t, from).CutSize(bits)
				require.NoError(t, err)
				require.Len(t, short, size)
			}
		}
	}
}

// TestCutCapped cuts blocks whose columns MaxBytes decides about.
func TestCutCapped(t *testing.T) {
	for _, n := range []int{100, 1000, 20_000} {
		hashes := filtertest.Hashes(n, 16)
		whole := build(Config{BitsPerKey: 10, MaxBytes: 6*n/8 + 60}, hashes)
		most := table(t, whole).BitsPerKey()
		require.Less(t, most, 10.0)
		require.Equal(t, whole, cut(t, whole, most))
		for bits := most; bits >= 1; bits -= 0.7 {
			require.Equal(t, build(Config{BitsPerKey: bits}, hashes), cut(t, whole, bits))
		}
		_, err := table(t, whole).AppendCut(nil, most+1.0/256)
		require.EqualError(t, err, fmt.Sprintf("bits per key must be from 1 to %v, not %v", most, most+1.0/256))
	}
}

// TestCutRates: see TestRates.
func TestCutRates(t *testing.T) {
	const keys, queries = 100_000, 8_000_000
	whole := build(Config{BitsPerKey: 12}, filtertest.Hashes(keys, 17))
	for _, bits := range []float64{10, 6.25, 5, 3, 1.5} {
		rate := Config{BitsPerKey: bits}.rate()
		positives := filtertest.Positives(filtertest.Asker(cut(t, whole, bits), MayContain), queries)
		filtertest.AtMost(t, 1.03*rate, positives, queries)
		mean := 0.97 * rate * queries
		require.Greater(t, float64(positives), mean-filtertest.Sigmas*math.Sqrt(mean))
	}
}

// TestCutInPlace cuts blocks in their own memory, and behind other bytes.
func TestCutInPlace(t *testing.T) {
	for _, n := range sizes {
		whole := build(Config{BitsPerKey: 8.5}, filtertest.Hashes(n, 18))
		for _, bits := range []float64{8.5, 8, 5.75, 1} {
			want := cut(t, whole, bits)
			after, err := table(t, whole).AppendCut([]byte("prefix"), bits)
			require.NoError(t, err)
			require.Equal(t, append([]byte("prefix"), want...), after)

			place := bytes.Clone(whole)
			got, err := table(t, place).AppendCut(place[:0], bits)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Same(t, &place[0], &got[0])
		}
	}
}

func TestCutOutOfRange(t *testing.T) {
	whole := table(t, build(Config{BitsPerKey: 8}, filtertest.Hashes(1000, 19)))
	for _, bits := range []float64{0.99, 0, -1, 8.01, 33, math.NaN(), math.Inf(1), math.Inf(-1)} {
		dst, err := whole.AppendCut([]byte("as it was"), bits)
		require.EqualError(t, err, fmt.Sprintf("bits per key must be from 1 to 8, not %v", bits))
		require.Equal(t, "as it was", string(dst))
	}
	_, err := whole.CutSize(32.01)
	require.EqualError(t, err, "bits per key must be from 1 to 32, not 32.01")
}

func TestCutAllocatesNothing(t *testing.T) {
	whole := build(Config{BitsPerKey: 8}, filtertest.Hashes(20_000, 20))
	dst := make([]byte, 0, len(whole))
	require.Zero(t, testing.AllocsPerRun(100, func() { dst, _ = table(t, whole).AppendCut(dst[:0], 6.5) }))
}

// BenchmarkCut cuts a block of 200,000 keys.
func BenchmarkCut(b *testing.B) {
	whole := build(Config{BitsPerKey: 12}, filtertest.Hashes(200_000, 32))
	for _, bits := range []float64{10, 8, 4.5, 1} {
		b.Run(fmt.Sprintf("bits=%v", bits), func(b *testing.B) {
			dst := make([]byte, 0, len(whole))
			for b.Loop() {
				dst, _ = table(b, whole).AppendCut(dst[:0], bits)
			}
		})
	}
}
