// Package micro measures filters alone, without a store: their size, their
// false-positive rate, and the time of building and of asking them.
//
// Every policy goes through pebble.FilterPolicy, as Pebble itself would use it.
// Times are taken in rounds in which each policy has its turn, so whatever else
// the machine does hits all of them; reported are medians over the rounds, of
// the time and of its ratio to Pebble's own Bloom filter in the same round.
package micro

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// Bench is what to measure. Its methods must not be called concurrently.
type Bench struct {
	// Policies are compared; ratios are to Policies[Baseline].
	Policies []policy.Filter
	Baseline int
	// Rounds is how often each policy has its turn. Where one round takes long,
	// there are fewer.
	Rounds int
	// AbsentKeys is how many keys are asked for each false-positive rate.
	AbsentKeys int
	// Cores is how many cores ask at once, besides one alone.
	Cores int
	// Seed is of keys and choices. Blocks may have random seeds of their own.
	Seed uint64
	// Progress is called after each round.
	Progress func(rounds int)
}

// order yields the numbers below n, starting with another one in each round so
// that none always follows the same neighbour first.
func order(round, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield((i + round) % n) {
				return
			}
		}
	}
}

// random returns a generator that depends on the seed and on what it is for.
func (b *Bench) random(keys, keySize int) *rand.ChaCha8 {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[0:], b.Seed)
	binary.LittleEndian.PutUint64(seed[8:], uint64(keys))
	binary.LittleEndian.PutUint64(seed[16:], uint64(keySize))
	return rand.NewChaCha8(seed)
}

// Filters are the blocks of every policy for the same keys.
type Filters struct {
	keys   keySet
	blocks [][]byte // by policy; empty if it writes none
}

// NewFilters builds filters of random keys, untimed.
func (b *Bench) NewFilters(keys, keySize int) *Filters {
	f := &Filters{newKeySet(keys, keySize), make([][]byte, len(b.Policies))}
	f.keys.draw(b.random(keys, keySize))
	for i, p := range b.Policies {
		f.blocks[i] = build(p, f.keys)
	}
	return f
}

// build writes a table's filter block, nil if the policy writes none.
func build(p policy.Filter, keys keySet) []byte {
	if !writes(p) {
		return nil
	}
	w := p.NewWriter(pebble.TableFilter)
	for i := range keys.len() {
		w.AddKey(keys.at(i))
	}
	return w.Finish(nil)
}

// ask asks a block for each key and returns how many it may contain.
func ask(p policy.Filter, block []byte, keys keySet) int {
	yes := 0
	for i := range keys.len() {
		if p.MayContain(pebble.TableFilter, block, keys.at(i)) {
			yes++
		}
	}
	return yes
}

// BaselineText is the policy that ratios are to.
const BaselineText = "pebble-bloom:10"

// ParseList reads policies separated by spaces, and puts the baseline first if
// it is not among them. It returns the baseline's index.
func ParseList(text string) (policies []policy.Filter, baseline int, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("name at least one policy, such as %q", "bloom:10 binaryfuse:8")
	}
	if !slices.Contains(words, BaselineText) {
		words = append([]string{BaselineText}, words...)
	}
	for _, word := range words {
		p, err := policy.ParseFilter(word)
		if err != nil {
			return nil, 0, err
		}
		policies = append(policies, p)
	}
	return policies, slices.Index(words, BaselineText), nil
}

// writes reports whether the policy writes filters at all.
func writes(p policy.Filter) bool { return p.FilterPolicy != pebble.NoFilterPolicy }

// MinKeySize makes keys long enough that random ones are distinct: with n
// present keys, a random absent one is among them with probability n·2^-64.
const MinKeySize = 8

// keySet is keys of one size, one after another in memory.
type keySet struct {
	data []byte
	size int
}

func newKeySet(keys, size int) keySet { return keySet{make([]byte, keys*size), size} }

func (k keySet) len() int { return len(k.data) / k.size }

func (k keySet) at(i int) []byte { return k.data[i*k.size:][:k.size:k.size] }

// draw replaces the keys by random ones.
func (k keySet) draw(rng *rand.ChaCha8) { _, _ = rng.Read(k.data) } // never fails

// drawFrom replaces the keys by random ones of another set.
func (k keySet) drawFrom(other keySet, rng *rand.ChaCha8) {
	r := rand.New(rng)
	for i := range k.len() {
		copy(k.at(i), other.at(r.IntN(other.len())))
	}
}
