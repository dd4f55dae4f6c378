package blockfilter

import (
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Hash returns the hash of a key from which all families build. Blocks differ
// in their seeds, so that nobody can prepare keys that pass every filter.
func Hash(key []byte, seed uint64) uint64 { return keyhash.Sum(key, seed) }

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
	case trailer.DenseLine:
		return dense.LinesMayContain(block, h)
	}
	return ask(body, v, h)
}
