package gf2

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// transposers and eliminators have every kernel that this machine runs.
var (
	transposers = map[string]func(to, from *[WordSlots]uint64){"generic": transposeGeneric, "dispatched": Transpose}
	eliminators = map[string]func(w *Words, to, from, values int, equations uint64) uint64{
		"generic":    eliminateGeneric,
		"dispatched": eliminate,
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
		to, keys := rng.IntN(9), rng.Uint64()
		from := to + rng.IntN(WordSlots-to)
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
			used := rng.IntN(WordSlots + 1)
			w := Words{Slots: slots, Values: values, Pivots: pivots}
			require.Equal(t, wantLeft, eliminate(&w, to, from, used, keys), name)
			require.Equal(t, wantPivots, w.Pivots, name)
			transposeGeneric(&w.Values, &w.Values)
			transposeGeneric(&w.Slots, &w.Slots)
			for key := range WordSlots {
				require.Zero(t, (right[key]^w.Values[key])&^(1<<(64-used)-1), name)
				require.Zero(t, (rows[key]^w.Slots[key])&(1<<to-1), name)
			}
		}
	}
}
