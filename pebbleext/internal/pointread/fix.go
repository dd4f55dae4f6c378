package pointread

import (
	"slices"
	"sync/atomic"
)

// fixing is what tests want.
type fixing struct {
	ways   []Way
	middle []byte
}

var fixed atomic.Pointer[fixing]

// Fix makes Readers that are made from now on read in random ones of some ways,
// whatever they cost, until restore is called. Tests of filters' answers use it:
// which way is cheapest depends on the machine.
func Fix(ways ...Way) (restore func()) { return FixAround(nil, ways...) }

// FixAround is Fix. Halves of the keys meet at middle.
func FixAround(middle []byte, ways ...Way) (restore func()) {
	before := fixed.Swap(&fixing{ways, middle})
	return func() { fixed.Store(before) }
}

// fix obeys Fix.
func (c *chooser) fix() *chooser {
	if f := fixed.Load(); f != nil {
		c.random = slices.DeleteFunc(slices.Clone(f.ways), func(way Way) bool { return !slices.Contains(c.ways, way) })
		if f.middle != nil {
			c.middle.Store(&f.middle)
		}
	}
	return c
}
