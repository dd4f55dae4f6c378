package blockfilter

import (
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// MayContain reports whether the set of keys that block was built from may
// contain key. It never answers false for a key of the set. It answers true
// for bytes that are not a filter block, for a block of a version or family
// that this code does not know, and for one whose fields contradict each
// other: a read is wasted, nothing is lost.
//
// It allocates nothing and may be called concurrently.
func MayContain(block, key []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok {
		return true
	}
	h := keyhash.Sum(key, v.Seed())
	switch v.Kind() {
	case trailer.BloomLine, trailer.TwoChoiceLine:
		return line.MayContain(body, v, h)
	}
	return queries[v.Family()](body, v, h)
}

// query answers for a filter's bits, described by v, whether the key of hash h
// may be in it.
type query func(body []byte, v *trailer.View, h uint64) bool

// queries has that of each family, by its byte in the trailer.
var queries = func() (q [256]query) {
	for i := range q {
		q[i] = func([]byte, *trailer.View, uint64) bool { return true }
	}
	q[trailer.Bloom] = bloom.MayContain
	q[trailer.TwoChoice] = twochoice.MayContain
	q[trailer.Ribbon] = ribbon.MayContain
	q[trailer.Compressed] = compressed.MayContain
	return q
}()
