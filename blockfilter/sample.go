package blockfilter

import (
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// SampleEvery is the number of answers of which a Sample shows one.
const SampleEvery = 1024

// TestsPerAnswer is how many random keys a Sample asks a block for whenever it
// shows an answer of the block.
const TestsPerAnswer = 4

// sampleMask has the bits of a key's hash that are 0 in a sample. What decides
// about false positives depends on more bits than these, so a sample has the
// rate of all keys.
const sampleMask = SampleEvery - 1

// Sample answers as MayContain does, and shows some of the answers to whoever
// keeps statistics. It chooses them by the hash that a filter needs anyway. It
// may be used concurrently.
type Sample struct{ see func(Answer) }

// Answer is what a filter block answered for a key.
type Answer struct {
	Info
	MayContain bool
	// FalsePositives is how many of TestsPerAnswer random keys the block may
	// contain. These keys are drawn as hashes. A table of a billion keys has one
	// with a chance of 5e-11, so all these answers are wrong.
	FalsePositives int
}

// NewSample returns a Sample that calls see for one answer in SampleEvery. A key
// is chosen by its hash under the block's seed: in one block always or never, in
// another block with a new chance. Answers of malformed blocks are not seen.
func NewSample(see func(Answer)) Sample { return Sample{see} }

// MayContain answers as the function of that name.
func (s Sample) MayContain(block, key []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok {
		return true
	}
	h := keyhash.Sum(key, v.Seed())
	if h&sampleMask == 0 {
		return s.show(body, v, h)
	}
	switch v.Kind() {
	case trailer.BloomLine, trailer.TwoChoiceLine:
		return line.MayContain(body, v, h)
	}
	return ask(body, v, h)
}

func (s Sample) show(body []byte, v *trailer.View, h uint64) bool {
	a := Answer{Info: describe(body, v), MayContain: ask(body, v, h)}
	if a.Family == "" {
		return a.MayContain
	}
	for range TestsPerAnswer {
		if ask(body, v, rand.Uint64()) {
			a.FalsePositives++
		}
	}
	s.see(a)
	return a.MayContain
}
