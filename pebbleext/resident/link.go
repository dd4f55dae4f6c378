package resident

import (
	"hash/maphash"
	"slices"
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

// keySum is a sum of keyed hashes over the keys of a table that is being
// written. The filter's writer and the table's property collector see the same
// keys but share no object: equal sums tell that they write the same table.
//
// Sums live in memory only, from the end of a filter to the end of its table.
// Their seeds are drawn when the process starts and never leave it, so nobody
// can prepare keys whose sums collide, and by chance those of two tables do
// with probability 2^-128.
type keySum struct {
	keys   uint64 // as often as they are added
	hashes [2]uint64
}

var keySumSeeds = [len(keySum{}.hashes)]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func (s *keySum) add(prefix []byte) {
	s.keys++
	for i, seed := range keySumSeeds {
		s.hashes[i] += maphash.Bytes(seed, prefix)
	}
}

// keySample keeps some of a table's prefixes, evenly spread and the first among
// them, to ask its filter for.
type keySample struct {
	keys   [][]byte
	stride int // every how manyth key is kept
	until  int // keys to skip
}

// maxSample keys pass a filter of other keys, of 10 bits for each, with
// probability 10^-32 at half as many, the least of a table of so many keys.
const maxSample = 32

func (s *keySample) add(prefix []byte) {
	if s.until > 0 {
		s.until--
		return
	}
	if len(s.keys) == maxSample {
		s.thin()
	}
	s.keys = append(s.keys, slices.Clone(prefix))
	s.until = max(s.stride, 1) - 1
}

// thin drops every other key. The next one is kept, as the stride asks for.
func (s *keySample) thin() {
	for i := range maxSample / 2 {
		s.keys[i] = s.keys[2*i]
	}
	s.keys = s.keys[:maxSample/2]
	s.stride = 2 * max(s.stride, 1)
}
