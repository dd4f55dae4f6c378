package filterpolicy

import (
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
)

// Name is what Name returns for every Policy, and what Pebble stores in each
// table and in the OPTIONS file. It is one name for all families and options:
// a block describes itself, so tables stay readable however a store is
// re-tuned.
const Name = "gravel"

// Policy is a pebble.FilterPolicy: it writes blocks of one family with fixed
// options, and reads blocks of every family. It is immutable and safe for
// concurrent use.
type Policy struct {
	family blockfilter.Family
	text   string
	level  uint8
}

var _ pebble.FilterPolicy = (*Policy)(nil)

// Bloom returns the policy bloom:bitsPerKey, a double-hashed Bloom filter in
// cache-line layout: 2.3 % of absent keys pass at 8 bits per key, 0.97 % at
// 10, 0.086 % at 16.
//
// It panics unless 0 < bitsPerKey ≤ 100; Parse returns an error instead.
func Bloom(bitsPerKey float64) *Policy {
	return must("bloom:" + formatNumber(bitsPerKey))
}

// must parses the text of a constructor, whose only fault can be an amount out
// of range.
func must(text string) *Policy {
	p, err := parse(text)
	if err != nil {
		panic(err)
	}
	return p
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
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter {
	return blockfilter.NewWriter(p.family, p.level)
}

// ForLevel returns the policy for tables of one level of the LSM, 0 to 6. The
// level is recorded in each block, for statistics and inspection; filters are
// otherwise the same.
func (p *Policy) ForLevel(level int) *Policy {
	q := *p
	q.level = uint8(level)
	return &q
}

// Rate returns the expected false-positive rate of a large table's filter, a
// fraction.
func (p *Policy) Rate() float64 { return p.family.Rate() }

// String returns the policy's text in its shortest form. Parse is its inverse.
func (p *Policy) String() string { return p.text }

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
