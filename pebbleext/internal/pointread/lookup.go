package pointread

import "time"

// lookup is a lookup of a key in a way that a chooser picked. It is measured if
// it has a start.
type lookup struct {
	chooser *chooser
	way     Way
	start   time.Time
	bytes   uint64
}

// lookUp begins a lookup.
func (c *chooser) lookUp() lookup {
	way, measure := c.choose()
	l := lookup{chooser: c, way: way}
	if measure {
		l.start = time.Now()
	}
	return l
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
		l.chooser.record(l.way, miss, costOf(time.Since(l.start), l.bytes))
	}
}
