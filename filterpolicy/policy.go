package filterpolicy

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
)

// Name is what Name returns for every Policy, and what Pebble stores in each
// table and in the OPTIONS file. It is one name for all families and options:
// a block describes itself, so tables stay readable however a store is
// re-tuned.
const Name = blockfilter.PolicyName

// Policy is a pebble.FilterPolicy: it writes blocks of one family with fixed
// options, and reads blocks of every family. It is immutable and safe for
// concurrent use.
type Policy struct{ core blockfilter.Policy }

var _ pebble.FilterPolicy = (*Policy)(nil)

// Parse reads the text form of a policy, which the package comment specifies.
// For "none" it returns pebble.NoFilterPolicy, for everything else a *Policy.
//
// An error names the word that is wrong and what would be right.
func Parse(text string) (pebble.FilterPolicy, error) {
	if text == blockfilter.None {
		return pebble.NoFilterPolicy, nil
	}
	core, err := blockfilter.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	return &Policy{core}, nil
}

// Bloom returns the policy bloom:bitsPerKey, a double-hashed Bloom filter in
// cache-line layout: 2.3 % of absent keys pass at 8 bits per key, 0.97 % at
// 10, 0.084 % at 16.
//
// It panics unless 0 < bitsPerKey ≤ 100; Parse returns an error instead.
func Bloom(bitsPerKey float64) *Policy { return of("bloom", bitsPerKey) }

// TwoChoice returns the policy twochoice:bitsPerKey, a Bloom filter with two
// groups of probes for each key, optimised while it is built: 1.67 % of absent
// keys pass at 8 bits per key, 0.64 % at 10, 0.046 % at 16.
//
// It panics unless 0 < bitsPerKey ≤ 64; Parse returns an error instead.
func TwoChoice(bitsPerKey float64) *Policy { return of("twochoice", bitsPerKey) }

// Dense returns the policy dense:bitsPerKey, in which each cache line is a
// linear system of the keys in it: 0.56 % of absent keys pass at 8 bits per
// key, 0.166 % at 10, 0.0064 % at 16.
//
// It panics unless 0 < bitsPerKey ≤ 32; Parse returns an error instead.
func Dense(bitsPerKey float64) *Policy { return of("dense", bitsPerKey) }

// Ribbon returns the policy ribbon:bitsPerKey, one linear system of all keys of
// a table, near the least size that a filter can have: 0.39 % of absent keys
// pass at 8 bits per key, 0.098 % at 10, 0.0015 % at 16.
//
// It panics unless 1 ≤ bitsPerKey ≤ 32; Parse returns an error instead.
func Ribbon(bitsPerKey float64) *Policy { return of("ribbon", bitsPerKey) }

func of(family string, bitsPerKey float64) *Policy {
	core, err := blockfilter.NewPolicy(blockfilter.Options{Family: family, BitsPerKey: bitsPerKey})
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

// The methods below are those of blockfilter.Policy, which says more of them.

// String returns the policy's text in its shortest form. Parse is its inverse.
func (p *Policy) String() string { return p.core.String() }

// Family returns the name of the family.
func (p *Policy) Family() string { return p.core.Family() }

// BitsPerKey returns the bits per key, or those that reach the policy's rate.
func (p *Policy) BitsPerKey() float64 { return p.core.BitsPerKey() }

// ExpectedRate returns the false-positive rate, a fraction, of a filter for
// that many keys.
func (p *Policy) ExpectedRate(keys int) float64 { return p.core.ExpectedRate(keys) }

// ExpectedSize returns the bytes of a block for that many keys.
func (p *Policy) ExpectedSize(keys int) int { return p.core.ExpectedSize(keys) }

// Wrote reports whether a block is what this policy writes for as many keys.
func (p *Policy) Wrote(block []byte) bool { return p.core.Wrote(block) }

// WithBitsPerKey returns the same policy with other bits per key. It is an
// error if the family cannot have as many or as few.
func (p *Policy) WithBitsPerKey(bits float64) (*Policy, error) {
	return with(p.core.WithBitsPerKey(bits))
}

// WithMaxBytes returns the same policy with the most bytes of a block, from
// 1024 on, or 0 for no limit.
func (p *Policy) WithMaxBytes(bytes int) (*Policy, error) { return with(p.core.WithMaxBytes(bytes)) }

func with(core blockfilter.Policy, err error) (*Policy, error) {
	if err != nil {
		return nil, err
	}
	return &Policy{core}, nil
}

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6, which
// is recorded in each block.
func (p *Policy) ForLevel(level int) *Policy { return &Policy{p.core.ForLevel(level)} }

// OnFailure returns the policy with failed told of each filter that the option
// verify=true drops.
func (p *Policy) OnFailure(failed func(error)) *Policy { return &Policy{p.core.OnFailure(failed)} }
