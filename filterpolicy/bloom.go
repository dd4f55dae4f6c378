package filterpolicy

import (
	"errors"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/bloom"
)

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
	if a.percent && c.Probes > 0 {
		return nil, errors.New("k goes with bits per key, not with a rate")
	}
	var err error
	c.BitsPerKey, err = a.bits(func(rate float64) (float64, error) { return bloom.Bits(c.Layout, rate) })
	return c, err
}
