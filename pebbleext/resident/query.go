package resident

import (
	"math/rand/v2"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// Query asks the filters in memory for one key after another: a lookup gives it
// to the iterator that it opens, whose tables are asked as they are opened.
//
// Pebble takes "no" as true for as long as the iterator stays at the table. So
// a lookup of many keys, in key order, calls Next before each, which tells if
// the iterator must be made anew.
//
// A Query is for one iterator at a time.
type Query struct {
	filters  *Filters
	prefix   []byte
	excluded []*entry                      // that answered "no" to this iterator
	options  [2]pebble.BlockPropertyFilter // Pebble appends one in place
	home     uint32                        // pin
	skip     uint32                        // queries until the next sampled one
}

var _ pebble.BlockPropertyFilter = (*Query)(nil)

// queries are pooled for all Filters, most programs have one.
var queries = sync.Pool{New: func() any {
	q := &Query{home: rand.Uint32()}
	q.options[0] = q
	return q
}}

// Query returns a Query for keys of that prefix. Give it back with Done when
// the iterator will not be moved again.
func (f *Filters) Query(prefix []byte) *Query {
	q := queries.Get().(*Query)
	q.filters, q.prefix = f, prefix
	return q
}

// Next makes the Query one for keys of another prefix, no less than the one
// before. It reports true if the iterator holds for excluded a table that may
// have the prefix: it must be closed then, or get its options anew
// (pebble.Iterator.SetOptions).
func (q *Query) Next(prefix []byte) (stale bool) {
	q.prefix = prefix
	still := q.excluded[:0]
	for _, e := range q.excluded {
		switch {
		case e.last != nil && q.filters.compare(prefix, e.last) > 0: // the iterator has left it
		case q.filters.ask(e, q):
			stale = true
		default:
			still = append(still, e)
		}
	}
	clear(q.excluded[len(still):])
	q.excluded = still
	if stale {
		q.forget()
	}
	return stale
}

func (q *Query) forget() {
	clear(q.excluded)
	q.excluded = q.excluded[:0]
}

// Done ends the Query.
func (q *Query) Done() {
	q.forget()
	q.filters, q.prefix = nil, nil
	queries.Put(q)
}

// PointKeyFilters returns what pebble.IterOptions takes.
func (q *Query) PointKeyFilters() []pebble.BlockPropertyFilter { return q.options[:1:2] }

// Name implements pebble.BlockPropertyFilter.
func (q *Query) Name() string { return PropertyName }

// SyntheticSuffixIntersects implements pebble.BlockPropertyFilter. Filters
// hold prefixes, which suffixes do not change.
func (q *Query) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return q.Intersects(property)
}

// Intersects implements pebble.BlockPropertyFilter. It reports false if the
// table with that property has no key of the prefix.
func (q *Query) Intersects(property []byte) (bool, error) {
	id, ok := parseIdentity(property)
	if !ok || q.filters == nil {
		return true, nil // of a block, or of a table that has none
	}
	return q.filters.mayContain(id, q), nil
}

func (f *Filters) mayContain(id identity, q *Query) bool {
	if !f.active.Load() {
		return true
	}
	e := f.directory.find(id)
	if e == nil || f.ask(e, q) {
		return true
	}
	q.excluded = append(q.excluded, e)
	return false
}

// ask asks a filter, if it is in memory.
func (f *Filters) ask(e *entry, q *Query) (may bool) {
	pin := f.pins.hold(q.home)
	if pin == nil {
		return true
	}
	first := e.block.Load()
	may = first == nil || e.mayContain(first, q.prefix)
	pin.release()
	if q.skip == 0 {
		q.skip = f.sampled(e, first != nil, may)
	} else {
		q.skip--
	}
	return may
}

// sampled counts a query for all those that are not, and returns how many come
// before the next one: a random number, since a lookup asks tables in the same
// order as the one before it.
func (f *Filters) sampled(e *entry, answered, may bool) (skip uint32) {
	period := f.period.Load()
	e.asked.Add(uint64(period))
	if answered {
		e.answered.Add(uint64(period))
	}
	if !may {
		e.denied.Add(uint64(period))
	}
	return rand.Uint32N(2*period - 1)
}
