package blockfilter

import (
	"math/rand/v2"

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
	answer, _ := mayContain(block, key)
	return answer
}

// mayContain answers for MayContain. It also returns the key's hash, for a
// Sample, or 1 for bytes that are not a filter block.
func mayContain(block, key []byte) (answer bool, h uint64) {
	v, ok := trailer.Parse(block)
	if !ok {
		return true, 1
	}
	h = keyhash.Sum(key, v.Seed())
	switch v.Kind() { // those asked most, for which the table would take 0.7 ns more
	case trailer.Kind(trailer.Bloom), trailer.Kind(trailer.TwoChoice):
		return line.MayContain(block, h), h
	case trailer.Kind(trailer.Dense):
		return dense.MayContain(block, h), h
	}
	return queries[v.Family()](block, h), h
}

// query answers for a block, which has a trailer, whether the key of hash h may
// be in it.
type query = func(block []byte, h uint64) bool

// queries has that of each family, by its byte in the trailer: a look-up among
// the families would take 1 ns more.
var queries = func() (q [256]query) {
	for i := range q {
		q[i] = func([]byte, uint64) bool { return true }
		if i < len(families) && families[i].query != nil {
			q[i] = families[i].query
		}
	}
	return q
}()

const (
	// SampleEvery is the number of answers of which a Sample shows one.
	SampleEvery = 1024
	// TestsPerAnswer is how many random keys a Sample asks a block for whenever
	// it shows an answer of the block.
	TestsPerAnswer = 4

	// sampleMask has the bits of a key's hash that are 0 in a sample. False
	// positives depend on more bits than these, so a sample has the rate of all
	// keys.
	sampleMask = SampleEvery - 1
)

// Sample answers as MayContain does, and shows one answer in SampleEvery, for
// statistics. It chooses them by the hash that a filter needs anyway. It may be
// used concurrently.
type Sample struct{ see func(Answer) }

// Answer is what a filter block answered for a key.
type Answer struct {
	Info
	MayContain bool
	// FalsePositives is how many of TestsPerAnswer random keys the block may
	// contain. They are drawn as hashes, and a table of a billion keys has one
	// with a chance of 5e-11: all these answers are wrong.
	FalsePositives int
}

// NewSample returns a Sample that calls see for one answer in SampleEvery. In
// one block a key's answer is shown always or never, in another block anew by
// chance. Answers of malformed blocks are not shown.
func NewSample(see func(Answer)) Sample { return Sample{see} }

// MayContain answers as the function of that name.
func (s Sample) MayContain(block, key []byte) bool {
	answer, h := mayContain(block, key)
	if h&sampleMask == 0 {
		s.show(block, answer)
	}
	return answer
}

func (s Sample) show(block []byte, answer bool) {
	info, err := Describe(block)
	if err != nil {
		return
	}
	a := Answer{Info: info, MayContain: answer}
	v, _ := trailer.Parse(block)
	for range TestsPerAnswer {
		if queries[v.Family()](block, rand.Uint64()) {
			a.FalsePositives++
		}
	}
	s.see(a)
}
