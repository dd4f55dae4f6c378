package twochoice

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// reference is the optimiser by definition: a counter of holders for every bit.
type reference struct {
	groups  [][][]uint32 // distinct bits of each key's groups
	chosen  []int
	holders [line.Bits]int
}

func newReference(hashes []uint64, k, choices int) *reference {
	r := &reference{chosen: make([]int, len(hashes))}
	for _, h := range hashes {
		var groups [][]uint32
		for g := range choices {
			var m mask
			m.AddGroup(h, g, k)
			var group []uint32
			for bit := range uint32(line.Bits) {
				if m[bit/64]>>(bit%64)&1 == 1 {
					group = append(group, bit)
				}
			}
			groups = append(groups, group)
		}
		r.groups = append(r.groups, groups)
	}
	return r
}

func (r *reference) hold(i, change int) {
	for _, bit := range r.groups[i][r.chosen[i]] {
		r.holders[bit] += change
	}
}

// choose picks the group of key i with the fewest bits that count as unset,
// and of those the first after the current group in cyclic order.
func (r *reference) choose(i int, set func(bit uint32) bool) {
	best, least := 0, line.Bits
	choices := len(r.groups[i])
	for step := 1; step <= choices; step++ {
		g := (r.chosen[i] + step) % choices
		unset := 0
		for _, bit := range r.groups[i][g] {
			if !set(bit) {
				unset++
			}
		}
		if unset < least {
			best, least = g, unset
		}
	}
	r.chosen[i] = best
}

func (r *reference) line(rounds int) (m mask) {
	var popular [line.Bits]int
	for _, groups := range r.groups {
		for _, group := range groups {
			for _, bit := range group {
				popular[bit]++
			}
		}
	}
	held := func(bit uint32) bool { return r.holders[bit] > 0 }
	for i := range r.groups {
		r.choose(i, func(bit uint32) bool { return held(bit) || popular[bit] >= 4 })
		r.hold(i, 1)
	}
	for range rounds - 1 {
		for i := range r.groups {
			r.hold(i, -1)
			r.choose(i, held)
			r.hold(i, 1)
		}
	}
	for bit, n := range r.holders {
		if n > 0 {
			m[bit/64] |= 1 << (bit % 64)
		}
	}
	return m
}

func TestOptimizerFollowsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for choices := 2; choices <= line.MaxChoices; choices++ {
		for _, k := range []int{1, 2, 7, 16} {
			o := optimizer{probes: k, choices: choices}
			for _, n := range []int{1, 2, 3, 8, 32, 51, 64, 90, 300} {
				hashes := make([]uint64, n)
				for i := range hashes {
					hashes[i] = rng.Uint64()
				}
				for _, rounds := range []int{1, 2, 5} {
					want := newReference(hashes, k, choices).line(rounds)
					require.Equal(t, want, o.line(hashes, rounds), "c=%d k=%d n=%d rounds=%d", choices, k, n, rounds)
				}
			}
		}
	}
}

// TestOverfullLine: beyond maxLoad keys take their first group.
func TestOverfullLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	hashes := make([]uint64, 3*maxLoad)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	o := optimizer{probes: 1, choices: 2}
	got := o.line(hashes, 3)
	want := newReference(hashes[:maxLoad], 1, 2).line(3)
	for _, h := range hashes[maxLoad:] {
		want.AddGroup(h, 0, 1)
	}
	require.Equal(t, want, got)
	require.Less(t, cap(o.masks), 4*maxLoad)
}
