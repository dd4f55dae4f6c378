package policytext

import (
	"errors"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// families lists what can stand before the colon. Each function reads its
// options and returns a family, valid or not.
var families = map[string]func(amount, *options) (blockfilter.Family, error){
	"bloom":      newBloom,
	"twochoice":  newTwoChoice,
	"ribbon":     newRibbon,
	"compressed": newCompressed,
}

// leastMax is the least value of the option max: a trailer and some lines.
const leastMax = 1024

func newBloom(a amount, o *options) (blockfilter.Family, error) {
	c := bloom.Config{
		Layout: bloom.Layout(o.oneOf("layout", "line", "flat")),
		Scheme: bloom.Scheme(o.oneOf("scheme",
			"double", "enhanced2", "enhanced3", "partition", "independent", "classic")),
		Probes:   o.count("k"),
		MaxBytes: o.size("max", leastMax),
	}
	var err error
	c.BitsPerKey, err = a.bits(func(rate float64) (float64, error) {
		if c.Probes > 0 {
			return 0, errProbesOfRate
		}
		return bloom.Bits(c.Layout, rate)
	})
	return c, err
}

func newTwoChoice(a amount, o *options) (blockfilter.Family, error) {
	c := twochoice.Config{
		Layout:   twochoice.Layout(o.oneOf("layout", "line", "flat")),
		Scheme:   twochoice.Scheme(o.oneOf("scheme", "double", "independent")),
		Choices:  o.count("choices"),
		Rounds:   o.count("rounds"),
		Probes:   o.count("k"),
		MaxBytes: o.size("max", leastMax),
	}
	var err error
	c.BitsPerKey, err = a.bits(func(rate float64) (float64, error) {
		if c.Probes > 0 {
			return 0, errProbesOfRate
		}
		return twochoice.Bits(c.Layout, c.Choices, rate)
	})
	return c, err
}

func newRibbon(a amount, o *options) (blockfilter.Family, error) {
	bits, err := a.bits(ribbon.Bits)
	return ribbon.Config{BitsPerKey: bits, MaxBytes: o.size("max", leastMax)}, err
}

func newCompressed(a amount, o *options) (blockfilter.Family, error) {
	bits, err := a.bits(compressed.Bits)
	return compressed.Config{BitsPerKey: bits, MaxBytes: o.size("max", leastMax)}, err
}

// errProbesOfRate: the bits per key that reach a rate are known for the best
// number of probes only.
var errProbesOfRate = errors.New("k goes with bits per key, not with a rate")
