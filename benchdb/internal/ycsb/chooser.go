package ycsb

import "math/rand/v2"

// A chooser draws the number of the record that an operation asks for. It may
// draw numbers above the last inserted one, which the caller draws again.
type chooser interface {
	next(rng *rand.Rand, last uint64) uint64
}

// scrambled is YCSB's ScrambledZipfianGenerator: a zipfian rank over a fixed
// space of 10^10 items, hashed onto the records, so that the popular records
// lie anywhere and stay the same ones as the store grows.
type scrambled struct {
	zipfian *zipfian
	records uint64
}

const (
	scrambledItems = 10_000_000_000
	scrambledZeta  = 26.46902820178302
)

// newScrambled spreads over the records that are there and those expected.
// Both sizes are one larger than they sound, as in YCSB, whose ranges include
// their upper end.
func newScrambled(records, expected uint64) *scrambled {
	return &scrambled{newZipfianZeta(scrambledItems+1, scrambledZeta), records + expected + 1}
}

func (s *scrambled) next(rng *rand.Rand, _ uint64) uint64 {
	return hash(s.zipfian.next(rng, scrambledItems+1)) % s.records
}

// latest is YCSB's SkewedLatestGenerator: zipfian by age, the newest record the
// most popular.
type latest struct{ zipfian *zipfian }

func newLatest(records uint64) *latest { return &latest{newZipfian(records - 1)} }

func (l *latest) next(rng *rand.Rand, last uint64) uint64 {
	return last - l.zipfian.next(rng, last)
}

// uniform draws every record with the same probability.
type uniform struct{}

func (uniform) next(rng *rand.Rand, last uint64) uint64 { return rng.Uint64N(last + 1) }
