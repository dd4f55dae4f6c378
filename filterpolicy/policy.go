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
//
// It has the methods of blockfilter.Policy, which tell what its filters will
// be: Family, BitsPerKey, ExpectedRate and ExpectedSize for a number of keys,
// Wrote and String.
type Policy struct{ blockfilter.Policy }

var _ pebble.FilterPolicy = (*Policy)(nil)

// Parse reads the text form of a policy,
//
//	family ":" amount {"," option "=" value}
//
// such as bloom:10, bloom:9.5,layout=flat,scheme=partition or
// bloom:1%,max=1MiB. The amount is bits per key, or the false-positive rate to
// reach. The package comment lists families, README.md their options. For
// "none" it returns pebble.NoFilterPolicy, for everything else a *Policy.
//
// An error names the word that is wrong and what would be right.
func Parse(text string) (pebble.FilterPolicy, error) {
	if text == blockfilter.None {
		return pebble.NoFilterPolicy, nil
	}
	p, err := blockfilter.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	return &Policy{p}, nil
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

func of(family string, bitsPerKey float64) *Policy {
	p, err := blockfilter.NewPolicy(blockfilter.Options{Family: family, BitsPerKey: bitsPerKey})
	if err != nil {
		panic(err)
	}
	return &Policy{p}
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
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter { return p.Policy.NewWriter() }

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6. The
// level is recorded in each block, for statistics and inspection; filters are
// otherwise the same.
func (p *Policy) ForLevel(level int) *Policy { return &Policy{p.Policy.ForLevel(level)} }

// OnFailure returns the policy with failed told of each filter that the option
// verify=true finds to deny a key of its table, which is then written without a
// filter. Failed may be called concurrently. Policies without that option stay
// as they are.
func (p *Policy) OnFailure(failed func(error)) *Policy { return &Policy{p.Policy.OnFailure(failed)} }
