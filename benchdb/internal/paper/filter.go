package paper

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter"
)

// blockSeed is the seed of all blocks, so that runs can be repeated.
const blockSeed = 0

// filter builds blocks of random keys and asks them. Its memory serves one
// block after another.
type filter struct {
	policy blockfilter.Policy
	// draw writes a key, present or absent, that is seldom one of another call.
	draw func(rng *rand.Rand, key *[8]byte)

	key    [8]byte
	hashes []uint64
	block  []byte
}

// newFilter panics for wrong options: those of the papers are right.
func newFilter(o blockfilter.Options) *filter {
	p, err := blockfilter.NewPolicy(o)
	if err != nil {
		panic(err)
	}
	return &filter{policy: p, draw: anyKey}
}

// anyKey draws all keys alike. Two keys of a trial are equal with a chance of
// 1e-9 at 10⁵ keys.
func anyKey(rng *rand.Rand, key *[8]byte) { binary.LittleEndian.PutUint64(key[:], rng.Uint64()) }

// build builds the block of n random keys.
func (f *filter) build(rng *rand.Rand, n int) error {
	f.drawHashes(rng, n)
	f.buildOf(f.hashes)
	if !blockfilter.MayContain(f.block, f.key[:]) {
		return fmt.Errorf("%v: false negative for key %x", f.policy, f.key)
	}
	return nil
}

// drawHashes draws n keys. The last one is f.key.
func (f *filter) drawHashes(rng *rand.Rand, n int) {
	f.hashes = f.hashes[:0]
	for range n {
		f.draw(rng, &f.key)
		f.hashes = append(f.hashes, blockfilter.Hash(f.key[:], blockSeed))
	}
}

func (f *filter) buildOf(hashes []uint64) {
	f.block = f.policy.AppendBlock(f.block[:0], [][]uint64{hashes}, blockSeed)
}

// ask returns for how many of a number of absent keys the block says that it
// may contain them.
func (f *filter) ask(rng *rand.Rand, queries int) float64 {
	positives := 0.0
	for range queries {
		f.draw(rng, &f.key)
		if blockfilter.MayContain(f.block, f.key[:]) {
			positives++
		}
	}
	return positives
}

// bits returns the bits of a block in a flat layout.
func (f *filter) bits() []byte { return f.block[:len(f.block)-blockfilter.TrailerSize] }

// ones returns the number of ones.
func (f *filter) ones() float64 {
	n := 0
	for _, b := range f.bits() {
		n += bits.OnesCount8(b)
	}
	return float64(n)
}

// built is trials that build a filter of n keys and find something of it.
func built[T any](o blockfilter.Options, n int, find func(f *filter, rng *rand.Rand) T) func() trial[T] {
	return func() trial[T] {
		f := newFilter(o)
		return func(rng *rand.Rand) (found T, err error) {
			if err := f.build(rng, n); err != nil {
				return found, err
			}
			return find(f, rng), nil
		}
	}
}

// positives finds the false positives among a number of queries.
func positives(o blockfilter.Options, n, queries int) func() trial[float64] {
	return built(o, n, func(f *filter, rng *rand.Rand) float64 { return f.ask(rng, queries) })
}

// ones finds the number of ones.
func ones(o blockfilter.Options, n int) func() trial[float64] {
	return built(o, n, func(f *filter, _ *rand.Rand) float64 { return f.ones() })
}
