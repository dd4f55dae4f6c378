package blockfilter

import (
	"fmt"
	"reflect"
	"strconv"
)

// PolicyName is the name of all policies in Pebble.
const PolicyName = "gravel"

// Policy says what filter blocks to write: of which family, with how many bits
// per key or for which rate, and with which options. It is an immutable value,
// made by NewPolicy or ParsePolicy, and safe for concurrent use.
type Policy struct {
	row     *family
	config  Family
	percent float64 // the rate that the bits per key are for, 0 if they were given
	verify  uint8   // 1 with the option verify=true
	failed  func(error)
	level   int // or LevelUnknown
}

// NewPolicy returns the policy that writes blocks of a family. An error says
// which option is out of range.
func NewPolicy(f Family) (Policy, error) {
	if err := f.Validate(); err != nil {
		return Policy{}, err
	}
	for i := range families {
		if reflect.TypeOf(families[i].blank) == reflect.TypeOf(f) {
			p := Policy{row: &families[i], config: f, level: LevelUnknown}
			var most int
			p.edit(func(s settings) { most = *s.maxBytes })
			return p.WithMaxBytes(most)
		}
	}
	return Policy{}, fmt.Errorf("%T is no filter family", f)
}

// Family returns the name of the family.
func (p Policy) Family() string { return p.row.name }

// BitsPerKey returns the bits per key that the policy asks for, or those that
// reach its rate.
func (p Policy) BitsPerKey() (bits float64) {
	p.edit(func(s settings) { bits = *s.bitsPerKey })
	return bits
}

// ExpectedRate returns the false-positive rate, a fraction, of a filter for
// that many keys. The option max and the rounding to whole lines count. It is
// within 10 % from some thousand keys on, and within 35 % in tables of a few
// lines.
func (p Policy) ExpectedRate(keys int) float64 { return p.config.ExpectedRate(keys) }

// ExpectedSize returns the bytes of a block for that many keys, its trailer
// included. It is exact for bloom, twochoice and dense. Blocks of ribbon and
// compressed differ with their seeds, from 10,000 keys on by less than 1 %. One
// ribbon in 140 of 600 to 1,000 keys is 5 to 20 % larger than expected.
func (p Policy) ExpectedSize(keys int) int { return p.config.ExpectedSize(keys) }

// Wrote reports whether a block is what this policy writes for as many keys as
// the block has. The level of the block does not count, nor does what leaves no
// trace in it: the rounds of twochoice, and the option verify.
func (p Policy) Wrote(block []byte) bool { return p.config.Wrote(block) }

// WithBitsPerKey returns the same policy with other bits per key. It is an
// error if the family cannot have as many or as few.
func (p Policy) WithBitsPerKey(bits float64) (Policy, error) {
	p.percent = 0
	p.edit(func(s settings) { *s.bitsPerKey = bits })
	return p, p.config.Validate()
}

// WithMaxBytes returns the same policy with the option max: the most bytes of a
// block, from 1024 on, or 0 for no limit.
func (p Policy) WithMaxBytes(bytes int) (Policy, error) {
	if bytes != 0 && (bytes < leastMax || bytes > mostMax) {
		return p, fmt.Errorf("the most bytes of a block are %d to %d, or 0, not %d", leastMax, mostMax, bytes)
	}
	p.edit(func(s settings) { *s.maxBytes = bytes })
	return p, nil
}

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6. The
// level is recorded in each block, for statistics and inspection; filters are
// otherwise the same.
func (p Policy) ForLevel(level int) Policy {
	p.level = level
	return p
}

// OnFailure returns the policy with failed told of each filter that the option
// verify finds to deny a key of its table, which is then written without a
// filter. Failed may be called concurrently. Policies without that option stay
// as they are.
func (p Policy) OnFailure(failed func(error)) Policy {
	if p.verify == 1 {
		p.failed = failed
	}
	return p
}

// NewWriter returns a writer of the policy's blocks.
func (p Policy) NewWriter() *Writer {
	f := p.config
	if p.verify == 1 {
		f = verified{f, p.failed}
	}
	return NewWriter(f, p.level)
}

// String returns the policy's text in its shortest form: ParsePolicy is its
// inverse.
func (p Policy) String() string {
	amount := formatNumber(p.percent) + "%"
	if p.percent == 0 {
		amount = formatNumber(p.BitsPerKey())
	}
	text := p.row.name + ":" + amount
	p.edit(func(s settings) {
		for _, o := range p.options(s) {
			if o.text != "" {
				text += "," + o.name + "=" + o.text
			}
		}
	})
	return text
}

// edit changes the settings of p, which is a copy.
func (p *Policy) edit(change func(settings)) { p.config = p.row.edit(p.config, change) }

// options returns the options of p, whose settings are s.
func (p *Policy) options(s settings) []option {
	return append(s.options, maxOption(s.maxBytes), oneOf("verify", &p.verify, "false", "true"))
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
