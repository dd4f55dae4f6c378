package micro

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"runtime/debug"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

const (
	// ColdKeys is the number of keys of each filter that is asked at random: a
	// table of 64 MiB with entries of 600 bytes.
	ColdKeys = 100_000
	// MinColdBytes holds at least one filter of any policy.
	MinColdBytes = 16 << 20
	// coldBatchSize is how many keys one timing asks for: few, because memory is
	// slow and the share of it that others leave changes within milliseconds.
	coldBatchSize = batchSize / coldTurns
	// coldTurns is how many such batches make a round.
	coldTurns = 8
)

// coldSet is copies of one filter that fill an arena.
type coldSet struct {
	policy policy.Filter
	arena  []byte
	length int // of a block
	stride int // from block to block
	picks  []coldPicks
}

// coldPicks are the copies that a core asks in a round.
type coldPicks struct {
	rng    *rand.PCG
	copies [coldBatchSize]uint32
}

// fill fills the arena with copies of a block. One copy is 16 bytes further than
// the last from a multiple of 64, as blocks in Pebble's cache begin anywhere at
// multiples of 16.
func (s *coldSet) fill(p policy.Filter, block []byte) {
	s.policy = p
	s.length, s.stride = len(block), (len(block)+63)&^63+16
	for i := range s.count() {
		copy(s.arena[i*s.stride:], block)
	}
}

func (s *coldSet) count() int { return len(s.arena) / s.stride }

// pick chooses copies for a core's next queries.
func (s *coldSet) pick(core int) {
	p, n := &s.picks[core], uint64(s.count())
	for i := range p.copies {
		hi, _ := bits.Mul64(p.rng.Uint64(), n)
		p.copies[i] = uint32(hi)
	}
}

// ask asks one copy for each key and returns how many may be contained.
func (s *coldSet) ask(core int, keys keySet) int {
	yes, copies := 0, &s.picks[core].copies
	for i := range min(keys.len(), len(copies)) {
		block := s.arena[int(copies[i])*s.stride:][:s.length:s.length]
		if s.policy.MayContain(pebble.TableFilter, block, keys.at(i)) {
			yes++
		}
	}
	return yes
}

func (s *coldSet) contender() contender {
	return contender{s.policy, func(cores int, keys keySet) (float64, int) {
		return onCores(cores, keys.len(), s.pick, func(core int) int { return s.ask(core, keys) })
	}, answerTimes{}}
}

func (b *Bench) newColdSet(size int64, rng *rand.ChaCha8) *coldSet {
	s := &coldSet{arena: make([]byte, size), picks: make([]coldPicks, b.Cores)}
	for i := range s.picks {
		s.picks[i].rng = rand.NewPCG(rng.Uint64(), rng.Uint64())
	}
	return s
}

// ColdRounds is how many rounds Cold takes.
func (b *Bench) ColdRounds() int { return b.Rounds * len(b.opponents()) }

// opponents are the policies that take turns with the baseline: all others, or
// itself if there is none.
func (b *Bench) opponents() []int {
	var indices []int
	for i := range b.Policies {
		if i != b.Baseline || len(b.Policies) == 1 {
			indices = append(indices, i)
		}
	}
	return indices
}

// Cold asks filters of a total size, each query one of them at random. Each
// policy takes turns with the baseline alone, so it needs twice that memory.
// Interrupted, it returns the policies and rounds that are done.
func (b *Bench) Cold(ctx context.Context, keySize int, size int64) (Queries, error) {
	q := Queries{Keys: ColdKeys, KeySize: keySize, ColdBytes: size, Rows: []QueryRow{}}
	debug.FreeOSMemory() // of the filters that were asked before
	f, rng := b.NewFilters(ColdKeys, keySize), b.random(ColdKeys, keySize+1)
	baseline, opponent := b.newColdSet(size, rng), b.newColdSet(size, rng)
	baseline.fill(b.Policies[b.Baseline], f.blocks[b.Baseline])

	rows := make([]QueryRow, len(b.Policies))
	all := answerTimes{} // of the baseline
	var err error
	for _, i := range b.opponents() {
		opponent.fill(b.Policies[i], f.blocks[i])
		pair := []contender{baseline.contender(), opponent.contender()}
		err = b.turns(ctx, f.keys, rng, coldTurns, coldBatchSize, pair)
		rows[i] = b.row(b.Policies[i], pair[1].times, pair[0].times)
		for kind, ns := range pair[0].times {
			all[kind] = append(all[kind], ns...)
		}
		if err != nil {
			break
		}
	}
	rows[b.Baseline] = b.row(b.Policies[b.Baseline], all, all)
	for _, row := range rows {
		q.add(row)
	}
	return q, err
}
