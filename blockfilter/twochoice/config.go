package twochoice

import (
	"errors"
	"fmt"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Layout is where the probes of a key fall.
type Layout uint8

// The layouts. Their values are stored in blocks.
const (
	// Line keeps all groups of a key in one 512-bit cache line.
	Line Layout = iota
	// Flat spreads them over the whole array, as in the paper.
	Flat
)

// Scheme is how a flat filter derives the probes of a group.
type Scheme uint8

// The schemes of flat filters. Their values are stored in blocks.
const (
	// Double is double hashing with an odd step.
	Double Scheme = iota
	// Independent computes a hash for each probe.
	Independent
)

const (
	// MaxBitsPerKey bounds Config.BitsPerKey.
	MaxBitsPerKey = 64
	// MaxChoices bounds Config.Choices.
	MaxChoices = line.MaxChoices
	// MaxRounds bounds Config.Rounds: what more of them gain is not measurable.
	MaxRounds = 100
	// MaxFlatProbes bounds Config.Probes in the flat layout.
	MaxFlatProbes = 64

	defaultChoices = 2
)

// Config describes two-choice filters to build.
type Config struct {
	// BitsPerKey is the size of a filter for each of its keys, above 0 and at
	// most MaxBitsPerKey. It need not be whole.
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included; a table with too
	// many keys for it gets fewer bits per key. Zero is no cap.
	MaxBytes int
	Layout   Layout
	// Scheme is of the flat layout only.
	Scheme Scheme
	// Choices is the number c of groups of probes per key, 2 to MaxChoices.
	// Zero takes 2.
	Choices int
	// Rounds is how many times the builder goes over the keys, 1 to MaxRounds.
	// In the line layout it is the number for a line of average load, and
	// fuller lines get proportionally more: they let most absent keys through.
	// Zero takes 4 in the line layout and 8 for each choice in the flat one.
	Rounds int
	// Probes is the number k of probes of a group, at most line.MaxProbes in
	// the line layout and MaxFlatProbes in the flat one. Zero takes the k of
	// the least false-positive rate.
	Probes int
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	err := trailer.CheckBits(c.BitsPerKey, MaxBitsPerKey)
	switch {
	case err != nil:
	case c.Layout == Line && c.Scheme != Double:
		err = errors.New("a scheme goes with layout=flat")
	case c.Layout > Flat || c.Scheme > Independent:
		err = fmt.Errorf("there is no layout %d with scheme %d", c.Layout, c.Scheme)
	case c.Choices == 1:
		err = errors.New("choices must be from 2 to 4, not 1: a filter with one choice is of family bloom")
	case c.Choices < 0 || c.Choices > MaxChoices:
		err = fmt.Errorf("choices must be from 2 to %d, not %d", MaxChoices, c.Choices)
	case c.Rounds < 0 || c.Rounds > MaxRounds:
		err = fmt.Errorf("rounds must be from 1 to %d, not %d", MaxRounds, c.Rounds)
	case c.Probes < 0 || c.Probes > c.Layout.maxProbes():
		err = fmt.Errorf("k must be from 1 to %d, not %d", c.Layout.maxProbes(), c.Probes)
	}
	return err
}

// withDefaults returns c with every option filled in.
func (c Config) withDefaults() Config {
	if c.Choices == 0 {
		c.Choices = defaultChoices
	}
	if c.Rounds == 0 {
		c.Rounds = c.defaultRounds()
	}
	if c.Probes == 0 {
		c.Probes = bestProbes(c.Layout, c.Choices, c.BitsPerKey)
	}
	return c
}

func (l Layout) maxProbes() int {
	if l == Line {
		return line.MaxProbes
	}
	return MaxFlatProbes
}

// defaultRounds is, for the line layout, what a build of 150 ns a key allows
// in portable code at two choices; a fifth round gains 1.2 % of the rate at 10
// bits per key. For the flat layout it is near where the paper stopped, at 10
// to 15 rounds of two choices and 30 to 40 of three.
func (c Config) defaultRounds() int {
	if c.Layout == Line {
		return 4
	}
	return 8 * c.Choices
}
