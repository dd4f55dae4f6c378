package blockfilter

import (
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// Family is a filter family with its options: a Config of one of the families'
// packages. It answers for filters of n distinct keys what they will be.
type Family interface {
	// Validate reports which option is out of range and what its range is.
	Validate() error
	// Bits returns the least bits per key that reach a false-positive rate, a
	// fraction, with the other options.
	Bits(rate float64) (float64, error)
	// AppendBlock appends a filter block for the hashes of keys to dst. Hash
	// computes them, with the seed. Level is that of the LSM that the table is
	// for, 0 to 6, or LevelUnknown.
	AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte
	// ExpectedRate is the false-positive rate of a filter for n keys.
	ExpectedRate(n int) float64
	// ExpectedSize is the size of a block for n keys in bytes.
	ExpectedSize(n int) int
	// Wrote reports whether a block is what AppendBlock writes for as many
	// keys.
	Wrote(block []byte) bool
}

// families has a row for each family, at its byte in the trailer. A new family
// takes a row here, and nothing elsewhere.
var families = [...]family{
	trailer.Bloom: row("bloom", bloom.MayContain, func(c *bloom.Config) settings {
		return settings{&c.BitsPerKey, &c.MaxBytes, []option{
			oneOf("layout", &c.Layout, "line", "flat"),
			oneOf("scheme", &c.Scheme, "double", "enhanced2", "enhanced3", "partition", "independent", "classic"),
			count("k", &c.Probes),
		}}
	}),
	trailer.TwoChoice: row("twochoice", twochoice.MayContain, func(c *twochoice.Config) settings {
		return settings{&c.BitsPerKey, &c.MaxBytes, []option{
			oneOf("layout", &c.Layout, "line", "flat"),
			oneOf("scheme", &c.Scheme, "double", "independent"),
			count("choices", &c.Choices),
			count("rounds", &c.Rounds),
			count("k", &c.Probes),
		}}
	}),
	trailer.Ribbon: row("ribbon", ribbon.MayContain, func(c *ribbon.Config) settings {
		return settings{&c.BitsPerKey, &c.MaxBytes, nil}
	}),
	trailer.Compressed: row("compressed", compressed.MayContain, func(c *compressed.Config) settings {
		return settings{&c.BitsPerKey, &c.MaxBytes, nil}
	}),
	trailer.Dense: row("dense", dense.MayContain, func(c *dense.Config) settings {
		return settings{&c.BitsPerKey, &c.MaxBytes, nil}
	}),
}

// family is what the package knows of one family. The row of a family that does
// not exist is empty.
type family struct {
	name       string
	mayContain query
	// blank is the family's Config without anything set.
	blank Family
	// edit returns a Config of the family after a change of its settings.
	edit func(config Family, change func(settings)) Family
}

// query answers for a filter's bits, described by the trailer of its block,
// whether the key of hash h may be in it.
type query func(body []byte, end *[trailer.Size]byte, h uint64) bool

// settings are the parts of a Config.
type settings struct {
	bitsPerKey *float64
	maxBytes   *int
	options    []option // of this family only, in the order of its text
}

// row returns the row of a family whose configuration is C.
func row[C Family](name string, mayContain query, settingsOf func(*C) settings) family {
	var blank C
	return family{name, mayContain, blank, func(config Family, change func(settings)) Family {
		c := config.(C)
		change(settingsOf(&c))
		return c
	}}
}

// Families returns the names of all families.
func Families() []string {
	var names []string
	for _, f := range families {
		if f.name != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// familyOf returns the row of a block's family, an empty one if it does not
// exist.
func familyOf(v *trailer.View) *family {
	if f := v.Family(); int(f) < len(families) {
		return &families[f]
	}
	return &families[0]
}

// queries has that of each family, by its byte in the trailer: a look-up among the
// families would cost a query 1 ns more.
var queries = func() (q [256]query) {
	for i := range q {
		q[i] = func([]byte, *[trailer.Size]byte, uint64) bool { return true }
		if i < len(families) && families[i].name != "" {
			q[i] = families[i].mayContain
		}
	}
	return q
}()

// ask answers for a block in parts.
func ask(body []byte, v *trailer.View, h uint64) bool {
	return queries[v.Family()](body, (*[trailer.Size]byte)(v), h)
}
