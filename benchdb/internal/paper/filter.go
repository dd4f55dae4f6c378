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

// draw writes a key of a trial's set, or an absent one.
type draw func(rng *rand.Rand, key *[8]byte)

// anyKey draws all keys alike. Two keys of a trial are equal with a chance of
// 1e-9 at 10⁵ keys.
func anyKey(rng *rand.Rand, key *[8]byte) { binary.LittleEndian.PutUint64(key[:], rng.Uint64()) }

// filter builds blocks of random keys and asks them. Its memory serves one
// block after another.
type filter struct {
	family blockfilter.Family
	draw   draw

	key    [8]byte
	hashes []uint64
	block  []byte
}

// build builds the block of n random keys.
func (f *filter) build(rng *rand.Rand, n int) error {
	f.drawHashes(rng, n)
	f.buildOf(f.hashes)
	if !blockfilter.MayContain(f.block, f.key[:]) {
		return fmt.Errorf("%+v: false negative for key %x", f.family, f.key)
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
	f.block = f.family.AppendBlock(f.block[:0], [][]uint64{hashes}, blockSeed, blockfilter.LevelUnknown)
}

// ask returns for how many of a number of absent keys the block says that it
// may contain them.
func (f *filter) ask(rng *rand.Rand, queries int) int {
	positives := 0
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
func (f *filter) ones() int { return countOnes(f.bits()) }

func countOnes(array []byte) int {
	n := 0
	for ; len(array) >= 8; array = array[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(array))
	}
	for _, b := range array {
		n += bits.OnesCount8(b)
	}
	return n
}

// positives is a trial that builds a filter of n keys and returns the false
// positives among a number of queries.
func positives(family blockfilter.Family, draw draw, n, queries int) func() trial[float64] {
	return func() trial[float64] {
		f := filter{family: family, draw: draw}
		return func(rng *rand.Rand) (float64, error) {
			if err := f.build(rng, n); err != nil {
				return 0, err
			}
			return float64(f.ask(rng, queries)), nil
		}
	}
}

// ones is a trial that builds a filter of n keys and returns its ones.
func ones(family blockfilter.Family, n int) func() trial[float64] {
	return func() trial[float64] {
		f := filter{family: family, draw: anyKey}
		return func(rng *rand.Rand) (float64, error) {
			err := f.build(rng, n)
			return float64(f.ones()), err
		}
	}
}
