package micro

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// kind is what one timing asks.
type kind struct {
	present bool
	cores   int
}

// kinds lists what every policy is asked in a turn, with another kind first in
// each.
func (b *Bench) kinds(turn int) []kind {
	kinds := []kind{{false, 1}, {true, 1}}
	if b.Cores > 1 {
		kinds = append(kinds, kind{false, b.Cores}, kind{true, b.Cores})
	}
	first := turn % len(kinds)
	return slices.Concat(kinds[first:], kinds[:first])
}

// contender is filters of one policy that are asked.
type contender struct {
	policy policy.Filter
	// ask asks for keys on a number of cores, and returns the time per query and
	// the number of keys that passed on one core.
	ask   func(cores int, keys keySet) (ns float64, yes int)
	times answerTimes
}

// answerTimes are the times of one policy, by kind and turn.
type answerTimes map[kind][]float64

// turns lets contenders take turns, a number of them in each round. Each turn asks
// every kind of query for a batch of new keys.
func (b *Bench) turns(ctx context.Context, present keySet, rng *rand.ChaCha8, perRound, batch int, contenders []contender) error {
	absentKeys, presentKeys := newKeySet(batch, present.size), newKeySet(batch, present.size)
	for turn := range b.Rounds * perRound {
		if err := ctx.Err(); err != nil {
			return err
		}
		absentKeys.draw(rng)
		presentKeys.drawFrom(present, rng)
		for i := range order(turn, len(contenders)) {
			c := contenders[i]
			for _, k := range b.kinds(turn) {
				keys := absentKeys
				if k.present {
					keys = presentKeys
				}
				ns, yes := c.ask(k.cores, keys)
				if k.present && yes != batch {
					return fmt.Errorf("%s: the filter lost %d of %d present keys", c.policy.Text, batch-yes, batch)
				}
				c.times[k] = append(c.times[k], ns)
			}
		}
		if turn%perRound == 0 {
			b.Progress(1)
		}
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
	var contenders []contender
	for i, p := range b.Policies {
		block := place(f.blocks[i])
		contenders = append(contenders, contender{p, func(cores int, keys keySet) (float64, int) {
			return onCores(cores, keys.len(), func(int) { touch(block) }, func(int) int { return ask(p, block, keys) })
		}, answerTimes{}})
	}
	rng := b.random(f.keys.len(), f.keys.size+1)
	err := b.turns(ctx, f.keys, rng, 1, batchSize, contenders)
	for i, p := range b.Policies {
		q.add(b.row(p, contenders[i].times, contenders[b.Baseline].times))
	}
	return q, err
}

// add adds a row unless no round of it is done.
func (q *Queries) add(r QueryRow) {
	if r.OneCore.Absent.Rounds > 0 {
		q.Rows = append(q.Rows, r)
	}
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
