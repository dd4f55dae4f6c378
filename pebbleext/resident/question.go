package resident

import "math/rand/v2"

// question asks filters in memory for one prefix of keys at a time.
type question struct {
	filters *Filters
	prefix  []byte
	home    uint32 // pin
	skip    uint32 // queries until the next sampled one
}

func newQuestion() question { return question{home: rand.Uint32()} }

// askFor asks a filter, and returns it unless it is unknown or must not be
// asked.
func (q *question) askFor(id identity) (e *entry, may bool) {
	if !q.filters.active.Load() || q.filters.guard.Seen() {
		return nil, true
	}
	if e = q.filters.directory.find(id); e == nil {
		return nil, true
	}
	pin := q.filters.pins.hold(q.home)
	may = q.ask(e, pin)
	pin.release()
	return e, may
}

// ask asks a filter, if it is in memory and there is a pin.
func (q *question) ask(e *entry, pin *pin) (may bool) {
	var first *byte
	if pin != nil {
		first = e.block.Load()
	}
	may = first == nil || e.mayContain(first, q.prefix)
	if q.skip == 0 {
		q.skip = e.sample(q.filters.period.Load(), first != nil, may)
	} else {
		q.skip--
	}
	return may
}

// sample counts a query for all of a period that are not, and returns how many
// come before the next one: a random number, since a lookup asks tables in the
// same order as the one before it.
func (e *entry) sample(period uint32, answered, may bool) (skip uint32) {
	e.asked.Add(uint64(period))
	if answered {
		e.answered.Add(uint64(period))
	}
	if !may {
		e.denied.Add(uint64(period))
	}
	return rand.Uint32N(2*period - 1)
}
