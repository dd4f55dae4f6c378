package trailer

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundTrip(t *testing.T) {
	want := Shape{Geometry: 1<<63 + 5, Family: Ribbon, Params: [3]uint8{7, 11, 3}, Bytes: 4}
	block := want.Append([]byte("body"), 0x0123456789abcdef, 1<<20, 6)
	require.Len(t, block, want.BlockSize())

	v, ok := Parse(block)
	require.True(t, ok)
	body, same, ok := Split(block)
	require.True(t, ok && v == same)
	require.Equal(t, "body", string(body))
	require.Equal(t, uint64(0x0123456789abcdef), v.Seed())
	require.EqualValues(t, 1<<20, v.Keys())
	require.Equal(t, 6, v.Level())
	require.Equal(t, want, Shape{v.Family(), v.Params(), v.Geometry(), len(body)})
	require.Equal(t, v.Params(), [3]uint8{v.Layout(), uint8(v.Probes()), uint8(v.Choices())})
}

// TestLevel: a byte that is no level is an unknown one.
func TestLevel(t *testing.T) {
	for stored, level := range map[int]int{0: 0, 6: 6, 7: LevelUnknown, 100: LevelUnknown, 128: LevelUnknown, 255: LevelUnknown, -1: LevelUnknown} {
		v, ok := Parse(Shape{}.Append(nil, 0, 0, stored))
		require.True(t, ok)
		require.Equal(t, level, v.Level(), "%d", stored)
	}
}

// TestBytes pins the encoding: blocks written once are read forever.
func TestBytes(t *testing.T) {
	got := Shape{Geometry: 0x1817161514131211, Family: Bloom, Params: [3]uint8{0x1a, 0x1b, 0x1c}}.
		Append(nil, 0x0807060504030201, 0x0c0b0a09, 0x1d)
	want := make([]byte, 0, Size)
	for b := byte(1); b <= 24; b++ {
		want = append(want, b)
	}
	copy(want[12:16], "\x00\x00\x00\x00") // more keys than an int of 32 bits has
	want = append(want, 1, 0x1a, 0x1b, 0x1c, 0x1d, 1, 'G', 'v')
	require.Equal(t, want, got)
}

func TestParseMalformed(t *testing.T) {
	good := Shape{Family: Bloom}.Append(make([]byte, 64), 0, 0, 0)
	with := func(i int, b byte) []byte {
		c := bytes.Clone(good)
		c[len(c)-i] = b
		return c
	}
	for name, block := range map[string][]byte{
		"nil":            nil,
		"short":          good[len(good)-Size+1:],
		"zeros":          make([]byte, 96),
		"magic":          with(1, 'w'),
		"magic low":      with(2, 'g'),
		"next version":   with(3, version+1),
		"truncated tail": good[:len(good)-1],
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := Parse(block)
			require.False(t, ok)
		})
	}
}

func TestFitBits(t *testing.T) {
	for _, c := range []struct {
		want       float64
		n, maxSize int
		fits       float64
	}{
		{10, 1000, 0, 10},
		{10, 0, 1024, 10},
		{10, 1000, 1 << 20, 10},
		{10, 1000, 32 + 1000, 8},
		{10, 1000, 32 + 500, 4},
	} {
		require.Equal(t, c.fits, FitBits(c.want, c.n, c.maxSize), "%+v", c)
	}
}

func TestFitFlat(t *testing.T) {
	for n := range 100_000 {
		for _, limit := range []int{1024, 7759} {
			bits, size := FitFlat(n, FitBits(15.1, n, limit), limit)
			require.Equal(t, int(bits+7)/8, size)
			require.LessOrEqual(t, size+Size, limit)
		}
	}
	for _, c := range []struct {
		n        int
		bits     float64
		maxBytes int
		want     uint64
	}{{0, 10, 0, MinFlatBits}, {100, 9.501, 0, 951}, {100, 10, Size - 1, MinFlatBits}, {100, 10, Size + 9, 72}} {
		bits, _ := FitFlat(c.n, c.bits, c.maxBytes)
		require.Equal(t, c.want, bits, "%+v", c)
	}
}

func TestGrow(t *testing.T) {
	dst := append(make([]byte, 0, 200), "old"...)
	copy(dst[3:200], bytes.Repeat([]byte{0xff}, 197))
	whole, added := Grow(dst, 64)
	require.Equal(t, "old", string(whole[:3]))
	require.Equal(t, make([]byte, 64), added, "reused capacity is cleared")
	require.Same(t, &dst[0], &whole[0], "sufficient capacity is used")

	whole, _ = Grow([]byte("old"), 1000)
	require.Equal(t, &whole[0], &Shape{}.Append(whole, 0, 0, 0)[0], "a trailer fits without a copy")
}
