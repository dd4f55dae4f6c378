package pointread

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMissesFollowTheirShare draws lookups well below and above the share where
// one way of reading takes over. By Lundberg's inequality the counter is on the
// wrong side with a chance below exp(-θ·mostMisses/2), where θ ≥ 0.27 solves
// share·exp(8θ) + (1-share)·exp(-θ) = 1 at 3 % and its mirror at 30 %: 1e-14.
func TestMissesFollowTheirShare(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  bool
	}{{0, false}, {0.03, false}, {0.3, true}, {1, true}} {
		for _, start := range []int32{0, mostMisses} {
			var m misses
			m.recent.Store(start)
			rng := rand.New(rand.NewPCG(7, 0))
			for range 10_000 {
				m.record(rng.Float64() < c.share)
			}
			require.Equal(t, c.want, m.frequent(), "%v of lookups miss", c.share)
		}
	}
}

// TestMissesChangeSoon bounds how many lookups go the wrong way after a change.
func TestMissesChangeSoon(t *testing.T) {
	var m misses
	for range mostMisses / 2 / missWeight {
		require.False(t, m.frequent())
		m.record(true)
	}
	require.True(t, m.frequent())
	m.record(false)
	require.False(t, m.frequent())
}
