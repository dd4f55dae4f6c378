// Package policytext is what filter policies have in common whatever version
// of Pebble they are for: their text form, and the filters it stands for. It
// imports no version of Pebble, so an adapter brings only its own.
package policytext

import (
	"strconv"

	"github.com/gravelkv/gravel/blockfilter"
)

// Name is the name of all policies in Pebble.
const Name = "gravel"

// Policy writes filters of one family with fixed options.
type Policy struct {
	family blockfilter.Family
	text   string
	level  uint8
}

// Of returns the policy family:bitsPerKey with default options. It panics if
// the amount is out of the family's range.
func Of(family string, bitsPerKey float64) Policy {
	p, err := Parse(family + ":" + formatNumber(bitsPerKey))
	if err != nil {
		panic(err)
	}
	return p
}

// NewWriter returns a writer of filter blocks.
func (p Policy) NewWriter() *blockfilter.Writer {
	return blockfilter.NewWriter(p.family, p.level)
}

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6.
func (p Policy) ForLevel(level int) Policy {
	p.level = uint8(level)
	return p
}

// OnFailure returns the policy with failed told of the blocks that verify=true
// rejects. Without that option nothing is rejected.
func (p Policy) OnFailure(failed func(error)) Policy {
	if f, ok := p.family.(blockfilter.Verified); ok {
		f.Failed = failed
		p.family = f
	}
	return p
}

// Rate returns the expected false-positive rate of a large table's filter, a
// fraction.
func (p Policy) Rate() float64 { return p.family.Rate() }

// String returns the policy's text in its shortest form. Parse is its inverse.
func (p Policy) String() string { return p.text }

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
