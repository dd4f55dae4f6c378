package pointread

import (
	"math/rand/v2"
	"time"
)

// lookup is a lookup of a key in a way that a chooser picked. It is measured if
// it has a start.
type lookup struct {
	chooser *chooser
	key     []byte
	chosen  Way // of which way is the one for this key
	way     Way
	start   time.Time
	bytes   uint64
}

// lookUp begins a lookup.
func (c *chooser) lookUp(key []byte) lookup {
	chosen, measure := c.choose(rand.Uint32())
	l := lookup{chooser: c, key: key, chosen: chosen, way: c.wayOf(key, chosen)}
	if measure {
		l.start = time.Now()
	}
	return l
}

// wayOf returns the way of a key where another may be that of other keys.
func (c *chooser) wayOf(key []byte, chosen Way) Way {
	if !chosen.isPart() {
		return chosen
	}
	if border := c.border.Load(); border != nil && c.options.Compare(key, *border) <= 0 {
		return ByUpperFilters
	}
	return ByIndexFilters
}

// count notes what the lookup's iterator has read.
func (l *lookup) count(iter Iterator) {
	if !l.start.IsZero() {
		l.bytes += iter.BytesRead()
	}
}

// discount forgets what the iterator has read for lookups before.
func (l *lookup) discount(iter Iterator) {
	if !l.start.IsZero() {
		l.bytes -= iter.BytesRead() // count adds it again
	}
}

// end records the lookup. Those that fail have no end.
func (l *lookup) end(miss bool) {
	if !l.start.IsZero() {
		l.chooser.record(l.key, l.chosen, miss, cost{float64(time.Since(l.start)), float64(l.bytes)})
	}
}
