package gf2

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

type equation struct {
	slot  int
	row   Row
	value uint32
}

// sum returns what the slots of e XOR to in the columns that Solve stored.
func (e equation) sum(solution []byte, bit, slots, columns int) (sum uint32) {
	for j := range columns {
		for i := range 128 {
			word := e.row.Lo
			if i >= 64 {
				word = e.row.Hi
			}
			at := bit + j*slots + e.slot + i
			sum ^= uint32(word>>(i%64)&1) & uint32(solution[at/8]>>(at%8)) << j
		}
	}
	return sum
}

// TestBand inserts random equations of narrow and of wide rows until the band
// is nearly full. What it accepts holds in the solution, whatever the order.
func TestBand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var b Band
	for range 500 {
		slots := 1 + rng.IntN(400)
		width := 1 + rng.IntN(min(slots, 128))
		columns := 1 + rng.IntN(maxColumns)
		var kept []equation
		b.Reset(slots)
		for range slots {
			e := equation{rng.IntN(slots - width + 1), Row{rng.Uint64(), rng.Uint64()}, rng.Uint32() >> (32 - columns)}
			if width <= 64 {
				e.row = Row{Lo: e.row.Lo >> (64 - width)}
			} else {
				e.row.Hi >>= 128 - width
			}
			if b.Insert(e.slot, e.row, e.value) {
				kept = append(kept, e)
			}
		}
		solve := func() []byte {
			const bit = 13
			solution := make([]byte, (bit+slots*columns+7)/8+16+Pad)
			b.Solve(solution, bit, columns)
			for _, e := range kept {
				require.Equal(t, e.value, e.sum(solution, bit, slots, columns))
			}
			return solution
		}
		first := solve()
		rng.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
		b.Reset(slots)
		for _, e := range kept {
			require.True(t, b.Insert(e.slot, e.row, e.value))
		}
		require.Equal(t, first, solve(), "the order matters")
	}
}

// TestInsert tells new equations, implied ones and contradictions apart.
func TestInsert(t *testing.T) {
	for _, high := range []uint64{0, 5} {
		var b Band
		b.Reset(128)
		rows := []Row{{6, high}, {12, high}, {10, 0}}
		for i, row := range rows[:2] {
			require.True(t, b.Insert(0, row, uint32(1+i)))
		}
		require.True(t, b.Insert(0, rows[2], 3), "implied")
		require.False(t, b.Insert(0, rows[2], 2))
		require.True(t, b.Insert(0, rows[2], 3), "unchanged by a contradiction")
	}
}

// TestRows compares the methods of Row with its single bits.
func TestRows(t *testing.T) {
	bit := func(row Row, i int) uint64 {
		return Load(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, row.Lo), row.Hi), uint64(i)) & 1
	}
	rng := rand.New(rand.NewPCG(3, 3))
	require.Equal(t, -1, Row{}.Top())
	for n := 1; n <= 128; n++ {
		row, other := Row{Lo: rng.Uint64(), Hi: rng.Uint64()}, Row{Lo: rng.Uint64(), Hi: rng.Uint64()}
		first := row.First(uint(n))
		dot, top := uint64(0), -1
		for i := range 128 {
			if i < n {
				require.Equal(t, bit(row, i), bit(first, i))
			} else {
				require.Zero(t, bit(first, i), "%d of %d", i, n)
			}
			if bit(first, i) == 1 {
				top = i
			}
			dot ^= bit(first, i) & bit(other, i)
		}
		require.Equal(t, top, first.Top())
		require.Equal(t, dot, first.Dot(other))
		require.Equal(t, first, row.First(uint(n-1)).With(n-1, bit(row, n-1)))
	}
}

// TestLoad reads what Or wrote, up to the end of any number of bytes.
func TestLoad(t *testing.T) {
	for size := 1; size <= 40; size++ {
		b := make([]byte, size+Pad)
		set := map[int]bool{}
		for i := 0; i < 8*size; i += 3 {
			Or(b, i, 1)
			set[i] = true
		}
		for i := range 8 * size {
			word := Load(b[:size:size], uint64(i))
			for j := range 64 {
				require.Equal(t, set[i+j], word>>j&1 == 1, "%d bytes, %d + %d", size, i, j)
			}
		}
	}
}
