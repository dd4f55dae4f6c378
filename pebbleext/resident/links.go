package resident

import "sync"

// links lead from the keys of a table that is being written to its filter:
// Pebble finishes the filter before it finishes the properties.
type links struct {
	mu    sync.Mutex
	links map[keySum]link
	order []keySum // oldest first
}

// link is a filter that was finished.
type link struct {
	head
	block []byte
}

// maxLinks bounds what tables leave behind that are given up in between. Each
// table that is being written has one for a moment.
const maxLinks = 64

func (l *links) put(sum keySum, made link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == maxLinks {
		delete(l.links, l.order[0])
		l.order = l.order[1:]
	}
	if l.links == nil {
		l.links = make(map[keySum]link)
	}
	l.links[sum] = made
	l.order = append(l.order, sum)
}

// take returns the filter of those keys, once.
func (l *links) take(sum keySum) (made link, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	made, ok = l.links[sum]
	delete(l.links, sum)
	return made, ok
}

// holds reports whether the filter may contain all of the keys, which those of
// its table must.
func (l link) holds(keys [][]byte) bool {
	for _, key := range keys {
		if !l.policy.MayContain(tableFilter, l.block, key) {
			return false
		}
	}
	return true
}
