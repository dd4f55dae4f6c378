package blockfilter

import (
	"slices"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// family is what this package knows of a family.
type family struct {
	name    string
	least   float64  // bits per key; 0 for any above 0
	most    float64  // bits per key
	options []string // but for those of all families
	schemes []string // of probes in the flat layout, the default first
	probes  [2]int   // the most, in the layouts line and flat
	config  func(Options) config
	query   query
}

// config is a family's Config: what a policy asks of the family.
type config interface {
	// AppendBlock appends a block for the hashes of keys under seed to dst.
	AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte
	// ExpectedRate is the false-positive rate of a filter for n ≥ 1 keys.
	ExpectedRate(n int) float64
	// ExpectedSize is the size of a block for n keys in bytes.
	ExpectedSize(n int) int
	// Wrote reports whether it writes such a block for as many keys.
	Wrote(block []byte) bool
}

// families has a row for each family, at its byte in the trailer. Other rows
// are empty. A new family takes a byte there, a row here and a part of
// FORMAT.md.
var families = [...]family{
	trailer.Bloom: {
		name: "bloom", most: 100, options: []string{"layout", "scheme", "k"},
		schemes: bloomSchemes, probes: [2]int{line.MaxProbes, bloom.MaxFlatProbes},
		config: func(o Options) config {
			return bloom.Config{BitsPerKey: o.BitsPerKey, MaxBytes: o.MaxBytes, Flat: o.flat(),
				Scheme: bloom.Scheme(indexOf(bloomSchemes, o.Scheme)), Probes: o.Probes}
		},
		query: bloom.MayContain,
	},
	trailer.TwoChoice: {
		name: "twochoice", most: 64, options: []string{"layout", "scheme", "choices", "rounds", "k"},
		schemes: []string{"double", independent}, probes: [2]int{line.MaxProbes, twochoice.MaxFlatProbes},
		config: func(o Options) config {
			return twochoice.Config{BitsPerKey: o.BitsPerKey, MaxBytes: o.MaxBytes, Flat: o.flat(),
				Independent: o.Scheme == independent, Choices: o.Choices, Rounds: o.Rounds, Probes: o.Probes}
		},
		query: twochoice.MayContain,
	},
	trailer.Ribbon: {
		name: "ribbon", least: 1, most: 32,
		config: func(o Options) config { return ribbon.Config{BitsPerKey: o.BitsPerKey, MaxBytes: o.MaxBytes} },
		query:  ribbon.MayContain,
	},
	trailer.Compressed: {
		name: "compressed", most: 24,
		config: func(o Options) config { return compressed.Config{BitsPerKey: o.BitsPerKey, MaxBytes: o.MaxBytes} },
		query:  compressed.MayContain,
	},
	trailer.Dense: {
		name: "dense", most: 32,
		config: func(o Options) config { return dense.Config{BitsPerKey: o.BitsPerKey, MaxBytes: o.MaxBytes} },
		query:  dense.MayContain,
	},
}

const independent = "independent"

// bloomSchemes are in the order of package bloom.
var bloomSchemes = []string{"double", "enhanced2", "enhanced3", "partition", independent, "classic"}

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

// indexOf returns the place of a name, 0 for none.
func indexOf(names []string, name string) int { return max(0, slices.Index(names, name)) }
