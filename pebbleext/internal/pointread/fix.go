package pointread

import (
	"slices"
	"sync/atomic"
)

// fixed are the ways that tests want.
var fixed atomic.Pointer[[]Way]

// Fix makes Readers that are made from now on read in random ones of some ways,
// whatever they cost, until restore is called. Tests of filters' answers use it:
// which way is cheapest depends on the machine.
func Fix(ways ...Way) (restore func()) {
	before := fixed.Swap(&ways)
	return func() { fixed.Store(before) }
}

// fix obeys Fix.
func (c *chooser) fix() *chooser {
	if ways := fixed.Load(); ways != nil {
		c.random = slices.DeleteFunc(slices.Clone(*ways), func(way Way) bool { return !slices.Contains(c.ways, way) })
	}
	return c
}
