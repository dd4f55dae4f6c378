package pointread

import (
	"slices"
	"sync/atomic"
)

// fixing is what tests want.
type fixing struct {
	ways   []Way
	border []byte
}

var fixed atomic.Pointer[fixing]

// Fix makes Readers that are made from now on read in random ones of some ways,
// whatever they cost, until restore is called. Tests of filters' answers use it:
// which way is cheapest depends on the machine.
func Fix(ways ...Way) (restore func()) { return FixAround(nil, ways...) }

// FixAround is Fix. Parts of the keys meet at a border.
func FixAround(border []byte, ways ...Way) (restore func()) {
	before := fixed.Swap(&fixing{ways, border})
	return func() { fixed.Store(before) }
}

// fix obeys Fix.
func (c *chooser) fix() *chooser {
	if f := fixed.Load(); f != nil {
		c.random = slices.DeleteFunc(slices.Clone(f.ways), func(way Way) bool { return !slices.Contains(c.ways, way) })
		c.keys = [][]byte{f.border}
		c.setBorder(HalfByUpperFilters)
	}
	return c
}
