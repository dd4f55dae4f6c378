package blockfilter

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

const (
	// PolicyName is the name of all policies in Pebble.
	PolicyName = "gravel"
	// None is the text of the policy that writes no filters. ParsePolicy does
	// not take it: each version of Pebble has its own way to write none.
	None = "none"
)

// Options say what filter blocks to write. Those that are zero have a default.
// The package comment of filterpolicy, and its README.md, say what they mean.
type Options struct {
	// Family is one of Families.
	Family string
	// BitsPerKey need not be whole. If Percent is not zero, BitsPerKey follows
	// from it: the least with that false-positive rate, in percent.
	BitsPerKey, Percent float64
	// MaxBytes is the most bytes of a block, from 1024 on, its trailer
	// included. A table with too many keys for it gets fewer bits per key.
	MaxBytes int
	// Verify has a finished block asked for all its keys. See
	// Policy.AppendBlock.
	Verify bool
	// Layout and Scheme are "" or words of the text form.
	Layout, Scheme string
	// Choices, Rounds and Probes, the k of the text form, are of bloom and
	// twochoice only, as are Layout and Scheme.
	Choices, Rounds, Probes int
}

var layouts = []string{"line", "flat"}

func (o Options) flat() bool { return o.Layout == layouts[1] }

// Policy says what filter blocks to write: of which family, with how many bits
// per key or for which rate, and with which options. It is an immutable value,
// made by NewPolicy or ParsePolicy, and safe for concurrent use.
type Policy struct {
	options Options // without names of defaults
	config  config
	failed  func(error)
	level   int // or LevelUnknown
}

// NewPolicy returns the policy with these options. An error says which is out
// of range.
func NewPolicy(o Options) (Policy, error) {
	f, err := findFamily(o.Family)
	if err != nil {
		return Policy{}, err
	}
	if o.Layout == layouts[0] {
		o.Layout = ""
	}
	if len(f.schemes) > 0 && o.Scheme == f.schemes[0] {
		o.Scheme = ""
	}
	if err := o.check(f); err != nil {
		return Policy{}, err
	}
	if o.Percent != 0 {
		if o.BitsPerKey, err = o.bitsFor(f); err != nil {
			return Policy{}, err
		}
	}
	if !(o.BitsPerKey > 0 && o.BitsPerKey >= f.least && o.BitsPerKey <= f.most) {
		span := fmt.Sprintf("above 0 and at most %v", f.most)
		if f.least > 0 {
			span = fmt.Sprintf("from %v to %v", f.least, f.most)
		}
		return Policy{}, fmt.Errorf("bits per key must be %s, not %v", span, o.BitsPerKey)
	}
	return Policy{options: o, config: f.config(o), level: LevelUnknown}, nil
}

func findFamily(name string) (*family, error) {
	i := slices.IndexFunc(families[:], func(f family) bool { return f.name == name && name != "" })
	if i < 0 {
		known := Families()
		slices.Sort(known)
		return nil, fmt.Errorf("unknown family %s; there are %s", quote(name), strings.Join(append(known, None), ", "))
	}
	return &families[i], nil
}

const (
	leastMax = 1024 // bytes: a trailer and some lines
	mostMax  = math.MaxInt32
)

// check returns what is wrong with the options but for the amount.
func (o Options) check(f *family) error {
	for _, word := range o.words() {
		if name, _, _ := strings.Cut(word, "="); !slices.Contains(f.optionNames(), name) {
			return fmt.Errorf("%s has no option %s", f.name, name)
		}
	}
	const mostChoices, mostRounds = 4, 100
	mostProbes := f.probes[indexOf(layouts, o.Layout)]
	switch {
	case o.Layout != "" && !o.flat() || o.Scheme != "" && !slices.Contains(f.schemes, o.Scheme):
		return fmt.Errorf("%s has no layout %s with scheme %s", f.name, quote(o.Layout), quote(o.Scheme))
	case o.Scheme != "" && !o.flat():
		return errors.New("a scheme goes with layout=flat")
	case o.Choices == 1:
		return errors.New("choices must be from 2 to 4, not 1: a filter with one choice is of family bloom")
	case o.Choices < 0 || o.Choices > mostChoices:
		return fmt.Errorf("choices must be from 2 to %d, not %d", mostChoices, o.Choices)
	case o.Rounds < 0 || o.Rounds > mostRounds:
		return fmt.Errorf("rounds must be from 1 to %d, not %d", mostRounds, o.Rounds)
	case o.Probes < 0 || o.Probes > mostProbes:
		return fmt.Errorf("k must be from 1 to %d, not %d", mostProbes, o.Probes)
	case o.Percent != 0 && !(o.Percent > 0 && o.Percent < 100):
		return fmt.Errorf("a rate must be above 0%% and below 100%%, not %v%%", o.Percent)
	case o.Probes != 0 && o.Percent != 0:
		return errors.New("k goes with bits per key, not with a rate")
	case o.MaxBytes != 0 && (o.MaxBytes < leastMax || o.MaxBytes > mostMax):
		return fmt.Errorf("the most bytes of a block are %d to %d, or 0, not %d", leastMax, mostMax, o.MaxBytes)
	}
	return nil
}

// bitsFor returns the least bits per key with which large filters reach the
// rate of o, with the default number of rounds.
func (o Options) bitsFor(f *family) (float64, error) {
	o.MaxBytes, o.Rounds = 0, 0
	tooMany := func(bits float64) bool {
		const manyKeys = 1 << 24
		o.BitsPerKey = bits
		return f.config(o).ExpectedRate(manyKeys) > o.Percent/100
	}
	low, high := f.least, f.most
	switch {
	case tooMany(high):
		return 0, fmt.Errorf("%s cannot reach a rate of %v%%", f.name, o.Percent)
	case low > 0 && !tooMany(low):
		return low, nil
	}
	for high-low > 1e-7 {
		if middle := low + (high-low)/2; tooMany(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high, nil
}

// Family returns the name of the family.
func (p Policy) Family() string { return p.options.Family }

// BitsPerKey returns the bits per key that the policy asks for, or those that
// reach its rate.
func (p Policy) BitsPerKey() float64 { return p.options.BitsPerKey }

// ExpectedRate returns the false-positive rate, a fraction, of a filter for
// that many keys. The option max and the rounding to whole lines count. It is
// within 10 % from 3,000 keys on, and within 35 % in tables of a few lines.
func (p Policy) ExpectedRate(keys int) float64 {
	if keys == 0 {
		return 0
	}
	return p.config.ExpectedRate(keys)
}

// ExpectedSize returns the bytes of a block for that many keys, its trailer
// included. It is exact for bloom, twochoice and dense. Blocks of ribbon and
// compressed differ with their seeds, from 10,000 keys on by less than 1 %. One
// ribbon in 140 of 600 to 1,000 keys is 5 to 20 % larger than expected.
func (p Policy) ExpectedSize(keys int) int { return p.config.ExpectedSize(keys) }

// Wrote reports whether a block is what this policy writes for as many keys as
// the block has. The level of the block does not count, nor does what leaves no
// trace in it: the rounds of twochoice, and the option verify.
func (p Policy) Wrote(block []byte) bool {
	const mostKeys = 1 << 40 // more than a table has: blocks that claim more are not judged
	v, ok := trailer.Parse(block)
	return ok && v.Keys() <= mostKeys && p.config.Wrote(block)
}

// WithBitsPerKey returns the same policy with other bits per key. It is an
// error if the family cannot have as many or as few.
func (p Policy) WithBitsPerKey(bits float64) (Policy, error) {
	p.options.BitsPerKey, p.options.Percent = bits, 0
	return p.again()
}

// WithMaxBytes returns the same policy with the option max: the most bytes of a
// block, from 1024 on, or 0 for no limit.
func (p Policy) WithMaxBytes(bytes int) (Policy, error) {
	p.options.MaxBytes = bytes
	return p.again()
}

// again makes p anew, of its options.
func (p Policy) again() (Policy, error) {
	made, err := NewPolicy(p.options)
	if err != nil {
		return p, err
	}
	made.level, made.failed = p.level, p.failed
	return made, nil
}

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6. The
// level is recorded in each block, for statistics and inspection; filters are
// otherwise the same.
func (p Policy) ForLevel(level int) Policy {
	p.level = level
	return p
}

// OnFailure returns the policy with a function for the option verify. A filter
// that denies a key of its table is dropped, and failed is called, perhaps
// concurrently. Without that option the policy stays as it is.
func (p Policy) OnFailure(failed func(error)) Policy {
	if p.options.Verify {
		p.failed = failed
	}
	return p
}
