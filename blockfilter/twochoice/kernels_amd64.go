//go:build !purego

package twochoice

import (
	"golang.org/x/sys/cpu"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// useAVX512 needs the population count of whole registers, which came after
// AVX-512 itself. Without it there is little to gain over portable code.
var useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ

// order has, for each group that a key may be in, the ranks of its groups
// among those with equally many new ones.
var order [line.MaxChoices][line.MaxChoices]uint64

func init() {
	for g := range line.MaxChoices {
		for last := range line.MaxChoices {
			order[last][g] = uint64(rank(0, g, last))
		}
	}
}

func (o *optimizer) stackPopular() {
	if useAVX512 {
		stackPopularAVX512(&o.later[0], len(o.later), &o.masks[0], len(o.masks))
		return
	}
	o.stackPopularGeneric()
}

func (o *optimizer) stackChosen() {
	if useAVX512 {
		stackChosenAVX512(&o.later[0], len(o.later), &o.masks[0], o.choices, &o.chosen[0])
		return
	}
	o.stackChosenGeneric()
}

func (o *optimizer) round() (union mask) {
	if useAVX512 {
		roundAVX512(&union, &o.masks[0], o.choices, &o.later[0], &o.chosen[0], len(o.chosen))
		return union
	}
	return o.roundGeneric()
}

//go:noescape
func stackPopularAVX512(later *mask, n int, masks *mask, count int)

//go:noescape
func stackChosenAVX512(later *mask, n int, masks *mask, choices int, chosen *uint8)

// roundAVX512 is for 2 to 4 choices.
//
//go:noescape
func roundAVX512(union *mask, masks *mask, choices int, later *mask, chosen *uint8, n int)
