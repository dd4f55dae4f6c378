package gf2

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// transposers and eliminators have every implementation that this machine runs.
var (
	transposers = map[string]func(to, from *[WordSlots]uint64){"generic": transposeGeneric, "dispatched": Transpose}
	eliminators = map[string]func(slots, values *[WordSlots]uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) uint64{
		"generic": func(slots, values *[WordSlots]uint64, to, from int, keys uint64, pivots *[WordSlots]uint8) uint64 {
			return eliminateGeneric(slots, valuesOf(values), to, from, keys, pivots)
		},
		"dispatched": Eliminate,
	}
)

func randomWords(rng *rand.Rand, ones int) (w [WordSlots]uint64) {
	for i := range w {
		w[i] = rng.Uint64()
		for range ones {
			w[i] &= rng.Uint64()
		}
	}
	return w
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	from := randomWords(rng, 0)
	var want [WordSlots]uint64
	for i := range from {
		for j := range want {
			want[j] |= from[i] >> j & 1 << i
		}
	}
	for name, transpose := range transposers {
		var to [WordSlots]uint64
		transpose(&to, &from)
		require.Equal(t, want, to, name)
		transpose(&to, &to)
		require.Equal(t, from, to, "%s in place", name)
	}
}

// TestEliminate compares with elimination row by row.
func TestEliminate(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		slots, values := randomWords(rng, rng.IntN(3)), randomWords(rng, 0)
		to, from, keys := rng.IntN(9), rng.IntN(WordSlots), rng.Uint64()
		var rows, right [WordSlots]uint64 // of keys
		transposeGeneric(&rows, &slots)
		transposeGeneric(&right, &values)
		wantPivots, wantLeft := [WordSlots]uint8{}, keys
		for i := range wantPivots {
			wantPivots[i] = NoPivot
		}
		pivots := wantPivots
		for slot := from; slot >= to; slot-- {
			for key := range WordSlots {
				if wantLeft>>key&1 == 0 || rows[key]>>slot&1 == 0 {
					continue
				}
				wantLeft ^= 1 << key
				wantPivots[slot] = uint8(key)
				for other := range WordSlots {
					if other != key && rows[other]>>slot&1 == 1 {
						rows[other] ^= rows[key]
						right[other] ^= right[key]
					}
				}
				break
			}
		}
		for name, eliminate := range eliminators {
			words, values, got := slots, values, pivots
			require.Equal(t, wantLeft, eliminate(&words, &values, to, from, keys, &got), name)
			require.Equal(t, wantPivots, got, name)
			transposeGeneric(&values, &values)
			require.Equal(t, right, values, name)

			withValues := words
			words, got = slots, pivots
			require.Equal(t, wantLeft, eliminate(&words, nil, to, from, keys, &got), name)
			require.Equal(t, wantPivots, got, name)
			require.Equal(t, withValues[:to], words[:to], name)
			transposeGeneric(&words, &words)
			for key, row := range words {
				mask := uint64(1)<<to - 1
				require.Equal(t, rows[key]&mask, row&mask, name)
			}
		}
	}
}
