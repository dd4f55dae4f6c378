package resident

import "sync"

// links leads from the keys of a table that is being written to the identity
// of its filter: Pebble finishes the filter before it finishes the properties.
type links struct {
	mu    sync.Mutex
	ids   map[keySum]identity
	order []keySum // oldest first
}

// maxLinks bounds what tables leave behind that are given up in between. At
// most a few tables are written at a time.
const maxLinks = 1024

func (l *links) put(sum keySum, id identity) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == maxLinks {
		delete(l.ids, l.order[0])
		l.order = l.order[1:]
	}
	if l.ids == nil {
		l.ids = make(map[keySum]identity)
	}
	l.ids[sum] = id
	l.order = append(l.order, sum)
}

// take returns the identity of the filter of those keys, once.
func (l *links) take(sum keySum) (id identity, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok = l.ids[sum]
	delete(l.ids, sum)
	return id, ok
}
