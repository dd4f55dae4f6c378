package blockfilter

import (
	"sync/atomic"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// SampleEvery is the number of answers of which a Sample shows one.
const SampleEvery = 1024

// sampleMask has the bits of a key's hash that are 0 in a sample. What decides
// about false positives depends on more bits than these, so a sample has the
// rate of all keys.
const sampleMask = SampleEvery - 1

// Sample answers as MayContain does, and shows some of the answers to whoever
// keeps statistics. It chooses them by the hash that a filter needs anyway. It
// may be used concurrently.
type Sample struct {
	mask atomic.Uint64
	see  func(Answer)
}

// Answer is what a filter block answered for a key.
type Answer struct {
	Info
	MayContain bool
	// Sampled is false for an answer that is only seen because all are.
	Sampled    bool
	seed, hash uint64
}

// IsFor reports whether the answer was for the key, wrongly in one of 2⁶⁴
// cases.
func (a Answer) IsFor(key []byte) bool { return keyhash.Sum(key, a.seed) == a.hash }

// Init makes s call see for one answer in SampleEvery, before any other use.
// The choice is by the hash of the key under the block's seed, so a key is
// always or never chosen in one block, and has a new chance in each other one.
// Answers of malformed blocks are not seen.
func (s *Sample) Init(see func(Answer)) {
	s.see = see
	s.ShowAll(false)
}

// ShowAll sets whether see is called for all answers.
func (s *Sample) ShowAll(all bool) {
	if all {
		s.mask.Store(0)
	} else {
		s.mask.Store(sampleMask)
	}
}

// MayContain answers as the function of that name.
func (s *Sample) MayContain(block, key []byte) bool {
	body, v, ok := trailer.Parse(block)
	if !ok {
		return true
	}
	h := keyhash.Sum(key, v.Seed())
	if h&s.mask.Load() == 0 {
		return s.show(body, v, h)
	}
	switch v.Kind() {
	case trailer.BloomLine, trailer.TwoChoiceLine:
		return line.MayContain(body, v, h)
	}
	return ask(body, v, h)
}

func (s *Sample) show(body []byte, v *trailer.View, h uint64) bool {
	mayContain := ask(body, v, h)
	if info, ok := describe(body, v); ok {
		s.see(Answer{info, mayContain, h&sampleMask == 0, v.Seed(), h})
	}
	return mayContain
}
