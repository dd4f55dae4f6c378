package twochoice

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// TestFlatGroupFollowsDefinition compares the recurrence with x + i·step mod m.
func TestFlatGroupFollowsDefinition(t *testing.T) {
	for _, m := range []uint64{64, 65, 97, 1024, 80_001, 1<<40 + 7} {
		for _, h := range []uint64{0, 1, 0xdeadbeefcafef00d, math.MaxUint64} {
			seen := map[group]bool{}
			for g := range line.MaxChoices {
				p := flatGroup(h, m, g, false)
				require.Less(t, p.bit, m)
				require.Less(t, p.step, m)
				require.Equal(t, uint64(1), p.step%2, "the step is odd")
				require.False(t, seen[p], "groups differ")
				seen[p] = true
				x, step := p.bit, p.step
				for i := range uint64(MaxFlatProbes) {
					require.Equal(t, (x+i*step)%m, p.bit, "m=%d h=%#x g=%d i=%d", m, h, g, i)
					p.next()
				}
			}
		}
	}
}

func TestNibblesStayAtFifteen(t *testing.T) {
	n := make(nibbles, 2)
	for range 14 {
		n.add(1, 1)
	}
	for range 20 {
		n.add(2, 1)
	}
	require.Equal(t, []uint8{0, 14, 15, 0}, []uint8{n.at(0), n.at(1), n.at(2), n.at(3)})
	for range 14 {
		n.add(1, -1)
		n.add(2, -1)
	}
	require.Equal(t, []uint8{0, 0, 15, 0}, []uint8{n.at(0), n.at(1), n.at(2), n.at(3)})
}

// TestIndependentProbesFollowDefinition compares them with one hash each.
func TestIndependentProbesFollowDefinition(t *testing.T) {
	for _, m := range []uint64{64, 80_001} {
		for _, h := range []uint64{0, 0xdeadbeefcafef00d, math.MaxUint64} {
			for g := range line.MaxChoices {
				p := flatGroup(h, m, g, true)
				for i := range uint64(MaxFlatProbes) {
					n := uint64(g)*MaxFlatProbes + i + 1
					require.Equal(t, keyhash.Scale(keyhash.Mix(h+n*keyhash.R), m), p.bit)
					p.next()
				}
			}
		}
	}
}

func TestTiesAreBrokenEvenly(t *testing.T) {
	for choices := uint64(2); choices <= line.MaxChoices; choices++ {
		const draws = 100_000
		var counts [line.MaxChoices]float64
		for random := range uint64(draws) {
			taken := uint64(0)
			for ties := uint64(2); ties <= choices; ties++ {
				if takesTie(keyhash.Mix(random), ties) {
					taken = ties - 1
				}
			}
			counts[taken]++
		}
		for g := range choices {
			// Binomial: six standard deviations, 2e-9.
			p := 1 / float64(choices)
			require.InDelta(t, draws*p, counts[g], 6*math.Sqrt(draws*p*(1-p)))
		}
	}
}
