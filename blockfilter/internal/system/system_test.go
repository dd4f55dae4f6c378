package system

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference is Layout.MayContain as FORMAT.md has it, bit by bit.
func reference(filter []byte, h uint64) bool {
	l, _ := Parse(filter)
	e := l.equation(h)
	for j := range l.Columns {
		sum := uint64(e.value) >> j & 1
		for i := range uint64(width) {
			if e.row>>i&1 == 1 {
				bit := l.offset(j, e.slot+i)
				sum ^= uint64(filter[bit/8]>>(bit%8)) & 1
			}
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

// TestAppend builds for all numbers of slots around a word, and of columns.
func TestAppend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	defer func(use bool) { useWords = use }(useWords)
	var b Builder
	for columns := 1; columns <= MaxColumns; columns++ {
		for n := 1; n < 150; n++ {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = rng.Uint64()
			}
			l := Layout{Columns: uint64(columns), Slots: uint64(Slots(n)), Seed: rng.Uint64N(Seeds)}
			l = LayoutOf(l.Bytes(), columns, l.Seed)
			useWords = true
			filter, ok := b.Append([]byte("old"), hashes, l)
			useWords = false
			same, _ := b.Append([]byte("old"), hashes, l)
			require.Equal(t, same, filter, "words and bands differ")
			if !ok {
				require.Less(t, n, 8, "a system of more slots than keys has no solution")
				continue
			}
			require.Equal(t, "old", string(filter[:3]))
			filter = filter[3:]
			require.Len(t, filter, l.Bytes())
			parsed, ok := Parse(filter)
			require.True(t, ok)
			l.attempt = parsed.attempt
			require.Equal(t, l, parsed)
			for _, h := range hashes {
				require.True(t, parsed.MayContain(filter, h))
				require.True(t, reference(filter, h))
			}
		}
	}
}

// TestNoSolution has more random keys than slots.
func TestNoSolution(t *testing.T) {
	var b Builder
	filter, ok := b.Append([]byte("old"), []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, LayoutOf(6, 8, 0))
	require.False(t, ok)
	require.Equal(t, "old", string(filter))
}

// FuzzMayContain asks any bytes and compares with the answer bit by bit.
func FuzzMayContain(f *testing.F) {
	f.Add([]byte{0xff, 0xff, 1, 2}, uint64(1))
	f.Add(binary.LittleEndian.AppendUint64(make([]byte, 200), 3), uint64(1<<63))
	f.Fuzz(func(t *testing.T, filter []byte, h uint64) {
		if l, ok := Parse(filter); ok {
			require.Equal(t, reference(filter, h), l.MayContain(filter, h))
		}
	})
}
