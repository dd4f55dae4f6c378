//go:build !purego

package twochoice

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// TestKernelsAgree compares the kernels with portable code, step by step, on
// buffers that end where the keys do, before a canary.
func TestKernelsAgree(t *testing.T) {
	if !useAVX512 {
		t.Skip("no AVX-512 with population counts")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	canary := mask{1, 2, 3, 4, 5, 6, 7, 8}
	for choices := 2; choices <= line.MaxChoices; choices++ {
		for k := 1; k <= line.MaxProbes; k++ {
			for _, n := range []int{1, 2, 3, 50, 200} {
				hashes := make([]uint64, n)
				for i := range hashes {
					hashes[i] = rng.Uint64()
				}
				fast, plain := optimizer{probes: k, choices: choices}, optimizer{probes: k, choices: choices}
				fast.masks = append(make([]mask, n*choices), canary)[:n*choices]
				fast.later = append(make([]mask, n), canary)[:n]
				fast.chosen = append(make([]uint8, n), 255)[:n]
				plain.grow(n)

				line.Masks(fast.masks, hashes, k, choices)
				copy(plain.masks, fast.masks)
				fast.stackPopular()
				plain.stackPopularGeneric()
				require.Equal(t, plain.later, fast.later)
				for range 4 {
					require.Equal(t, plain.roundGeneric(), fast.round())
					require.Equal(t, plain.chosen, fast.chosen)
					fast.stackChosen()
					plain.stackChosenGeneric()
					require.Equal(t, plain.later, fast.later)
				}
				require.Equal(t, canary, fast.masks[:n*choices+1][n*choices])
				require.Equal(t, canary, fast.later[:n+1][n])
				require.Equal(t, uint8(255), fast.chosen[:n+1][n])
			}
		}
	}
}
