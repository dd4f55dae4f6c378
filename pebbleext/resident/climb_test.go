package resident

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestClimb finds the correction at which a cache misses least, stays there, and
// begins anew when the load changes.
func TestClimb(t *testing.T) {
	source := rand.NewPCG(1, 2)
	var c climb
	turns := func(best, scale float64) (moved bool) {
		before := c.correction
		for range 300 {
			away := c.correction - best
			misses := distuv.Poisson{Lambda: turnQueries * scale * (1 + 0.1*away*away), Src: source}.Rand()
			c.count(turnQueries, uint64(misses), 1./2)
			moved = moved || c.correction != before
		}
		return moved
	}
	for _, load := range []struct{ best, scale, within float64 }{
		{-3, 0.5, 1}, {2, 0.3, 1}, {0, 0.9, 1}, {-1, 0.05, 2}, // fewer misses tell less
	} {
		turns(load.best, load.scale)
		require.InDelta(t, load.best, c.correction, load.within)
		require.False(t, turns(load.best, load.scale), "it settles")
	}
}

const turnQueries = 1 << 14

// TestClimbNowhere: where nothing comes of a correction, it stays small. Few
// queries decide nothing.
func TestClimbNowhere(t *testing.T) {
	source := rand.NewPCG(1, 2)
	var sum float64
	for range 100 {
		var c climb
		for range 300 {
			c.count(turnQueries, uint64(distuv.Poisson{Lambda: 5000, Src: source}.Rand()), 1./2)
		}
		sum += math.Abs(c.correction)
	}
	require.Less(t, sum/100, 0.5)

	var c climb
	for range 2 * (enough/100 + 3) {
		require.Zero(t, c.correction)
		c.count(0, 100, 1)
		c.count(100, 10, 1)
	}
	require.Equal(t, -firstStep, c.correction)
}

// TestClimbEnds at the most that a price may be corrected.
func TestClimbEnds(t *testing.T) {
	var c climb // each step seems to pay
	for i := range 20 {
		c.count(1<<16, 1<<20>>(i/4), 1)
	}
	require.Equal(t, -most, c.correction)
}
