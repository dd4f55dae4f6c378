package twochoice

const (
	// MaxFlatProbes is the most probes of a group in the flat layout.
	MaxFlatProbes = 64

	// The layouts of flat filters in a trailer. That of filters in lines is 0.
	flatDouble, flatIndependent = 1, 2
)

// Config describes two-choice filters to build. Package blockfilter checks it.
type Config struct {
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included. Zero is no cap.
	MaxBytes int
	// Flat spreads the groups of a key over the whole array, as in the paper.
	// Otherwise they are in one cache line.
	Flat bool
	// Independent computes a hash for each probe of a flat filter. Otherwise it
	// derives the probes of a group by double hashing with an odd step.
	Independent bool
	// Choices is the number c of groups of probes of a key, 2 to 4. Zero takes
	// 2.
	Choices int
	// Rounds is how many times the builder goes over the keys: what more than
	// 100 gain is not measurable. In the line layout it is the number for a
	// line of average load, and fuller lines get proportionally more: they let
	// most absent keys through. Zero takes 4 in the line layout and 8 for each
	// choice in the flat one.
	Rounds int
	// Probes is the number k of probes of a group. Zero takes the k of the
	// least false-positive rate.
	Probes int
}

// withDefaults returns c with every option filled in.
func (c Config) withDefaults() Config {
	if c.Choices == 0 {
		c.Choices = 2
	}
	if c.Rounds == 0 {
		c.Rounds = c.defaultRounds()
	}
	if c.Probes == 0 {
		c.Probes = c.bestProbes()
	}
	return c
}

// layout returns that of a trailer.
func (c Config) layout() uint8 {
	switch {
	case !c.Flat:
		return 0
	case c.Independent:
		return flatIndependent
	}
	return flatDouble
}

// defaultRounds is, for the line layout, what a build of 150 ns a key allows
// in portable code at two choices; a fifth round gains 1.2 % of the rate at 10
// bits per key. For the flat layout it is near where the paper stopped, at 10
// to 15 rounds of two choices and 30 to 40 of three.
func (c Config) defaultRounds() int {
	if c.Flat {
		return 8 * c.Choices
	}
	return 4
}
