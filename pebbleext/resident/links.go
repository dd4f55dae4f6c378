package resident

import (
	"sync"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

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
	block     []byte
	extractor indexfilter.Extractor // of the prefixes that it has, nil for none
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
// its table must, and their prefixes.
func (l link) holds(keys [][]byte) bool {
	for _, key := range keys {
		if !l.mayContain(key) {
			return false
		}
		if prefix, ok := prefixOf(l.extractor, key); ok && !l.mayContain(prefix) {
			return false
		}
	}
	return true
}

func (l link) mayContain(key []byte) bool { return l.policy.MayContain(tableFilter, l.block, key) }

// property returns a table's that names the filter.
func (l link) property() []byte {
	property := l.id[:]
	if l.extractor != nil {
		property = append(property, l.extractor.String()...)
	}
	return property
}

// prefixOf returns the prefix of a key, if it has one. The extractor may be
// nil.
func prefixOf(e indexfilter.Extractor, key []byte) (prefix []byte, ok bool) {
	if e == nil {
		return nil, false
	}
	return indexfilter.PrefixOf(e, key)
}
