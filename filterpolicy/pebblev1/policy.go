package pebblev1

import (
	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/blockfilter"
)

// Name is what Name returns for every Policy, the same as in package
// filterpolicy.
const Name = blockfilter.PolicyName

// Policy is a pebble.FilterPolicy: it writes blocks of one family with fixed
// options, and reads blocks of every family, whichever version of Pebble they
// were written with. It is immutable and safe for concurrent use.
type Policy struct{ core blockfilter.Policy }

var _ pebble.FilterPolicy = (*Policy)(nil)

// Parse reads the text form of a policy as filterpolicy.Parse does. For "none"
// it returns nil, by which version 1 knows a level without filters.
func Parse(text string) (pebble.FilterPolicy, error) {
	if text == blockfilter.None {
		return nil, nil
	}
	core, err := blockfilter.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	return &Policy{core}, nil
}

// Bloom returns the policy bloom:bitsPerKey. It panics unless
// 0 < bitsPerKey ≤ 100; Parse returns an error instead.
func Bloom(bitsPerKey float64) *Policy {
	core, err := blockfilter.NewPolicy(blockfilter.Options{Family: "bloom", BitsPerKey: bitsPerKey})
	if err != nil {
		panic(err)
	}
	return &Policy{core}
}

// Name implements pebble.FilterPolicy. It returns Name.
func (p *Policy) Name() string { return Name }

// MayContain implements pebble.FilterPolicy. It answers for a block of any
// family and options, true if the block is malformed, and allocates nothing.
func (p *Policy) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	return blockfilter.MayContain(filter, key)
}

// NewWriter implements pebble.FilterPolicy. The writer keeps 8 bytes for each
// key until its table is finished.
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter { return p.core.NewWriter() }

// ForLevel returns the policy for tables of one level, as in filterpolicy.
func (p *Policy) ForLevel(level int) *Policy { return &Policy{p.core.ForLevel(level)} }

// OnFailure returns the policy with failed told of each filter that the option
// verify=true drops.
func (p *Policy) OnFailure(failed func(error)) *Policy { return &Policy{p.core.OnFailure(failed)} }

// String returns the policy's text in its shortest form. Parse is its inverse.
func (p *Policy) String() string { return p.core.String() }
