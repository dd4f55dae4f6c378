package micro

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// batchSize is how many keys one timing asks for: too many for a branch
// predictor to learn the answers, few enough to stay in the cache.
const batchSize = 8192

// Queries compares MayContain for keys of one size.
type Queries struct {
	Keys    int `json:"keys"`
	KeySize int `json:"key_size"`
	// ColdBytes is how many bytes of filters were asked at random, 0 if it was
	// one filter that stays in the cache.
	ColdBytes int64      `json:"cold_bytes"`
	Rows      []QueryRow `json:"rows"`
}

// QueryRow is one policy's answers.
type QueryRow struct {
	Policy  string  `json:"policy"`
	OneCore Answers `json:"one_core"`
	// AllCores is how long a query takes on each core while all cores ask,
	// nil if there is only one.
	AllCores *Answers `json:"all_cores"`
}

// Answers are times per query.
type Answers struct {
	Absent  Time `json:"absent"`
	Present Time `json:"present"`
}

// batches are the keys of a round.
type batches struct{ absent, present keySet }

func newBatches(keys, keySize int) batches {
	return batches{newKeySet(keys, keySize), newKeySet(keys, keySize)}
}

// kind is what one timing asks.
type kind struct {
	present bool
	cores   int
}

// kinds lists what every policy is asked in a round, with another kind first in
// each.
func (b *Bench) kinds(round int) []kind {
	kinds := []kind{{false, 1}, {true, 1}}
	if b.Cores > 1 {
		kinds = append(kinds, kind{false, b.Cores}, kind{true, b.Cores})
	}
	first := round % len(kinds)
	return slices.Concat(kinds[first:], kinds[:first])
}

// answerTimes are the times of one policy, by kind and round.
type answerTimes map[kind][]float64

// ask times every kind of query once. The function asks for a set of keys
// on a number of cores, and returns the time per query and the number of keys
// that passed on one core.
func (b *Bench) ask(round int, times answerTimes, keys batches, ask func(cores int, keys keySet) (ns float64, yes int)) error {
	for _, k := range b.kinds(round) {
		set := keys.absent
		if k.present {
			set = keys.present
		}
		ns, yes := ask(k.cores, set)
		if k.present && yes != set.len() {
			return fmt.Errorf("the filter lost %d of %d present keys", set.len()-yes, set.len())
		}
		times[k] = append(times[k], ns)
	}
	return nil
}

// row compares a policy with the baseline.
func (b *Bench) row(p policy.Filter, own, baseline answerTimes) QueryRow {
	answers := func(cores int) Answers {
		absent, present := kind{false, cores}, kind{true, cores}
		return Answers{newTime(own[absent], baseline[absent]), newTime(own[present], baseline[present])}
	}
	row := QueryRow{Policy: p.Text, OneCore: answers(1)}
	if b.Cores > 1 {
		all := answers(b.Cores)
		row.AllCores = &all
	}
	return row
}

// InCache asks one filter of each policy, which is in the cache as far as it
// fits. Interrupted, it returns the rounds that are done.
func (b *Bench) InCache(ctx context.Context, f *Filters) (Queries, error) {
	q := Queries{Keys: f.keys.len(), KeySize: f.keys.size, Rows: []QueryRow{}}
	times := make([]answerTimes, len(b.Policies))
	blocks := make([][]byte, len(b.Policies))
	for i, block := range f.blocks {
		times[i], blocks[i] = answerTimes{}, place(block)
	}
	keys, rng := newBatches(batchSize, f.keys.size), b.random(f.keys.len(), f.keys.size+1)
	done := 0
	for ; done < b.Rounds && ctx.Err() == nil; done++ {
		keys.absent.draw(rng)
		keys.present.drawFrom(f.keys, rng)
		for i := range b.turns(done) {
			p, block := b.Policies[i], blocks[i]
			err := b.ask(done, times[i], keys, func(cores int, keys keySet) (float64, int) {
				return onCores(cores, keys.len(), func(int) { touch(block) }, func(int) int { return ask(p, block, keys) })
			})
			if err != nil {
				return q, fmt.Errorf("%s: %w", p.Text, err)
			}
		}
		b.Progress(1)
	}
	if done > 0 {
		for i, p := range b.Policies {
			q.Rows = append(q.Rows, b.row(p, times[i], times[b.Baseline]))
		}
	}
	return q, ctx.Err()
}

// place copies a block to 16 bytes past a multiple of 64, where three out of
// four blocks in Pebble's cache are as regards lines: at multiples of 16, so
// that a 64-byte line of the filter straddles two of the processor.
func place(block []byte) []byte {
	buffer := make([]byte, len(block)+2*64)
	skip := (16 - int(uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))) & 63
	return append(buffer[skip:skip], block...)
}

// touch reads a block into the cache.
//
//go:noinline
func touch(block []byte) (sum byte) {
	for i := 0; i < len(block); i += 64 {
		sum += block[i]
	}
	return sum
}
