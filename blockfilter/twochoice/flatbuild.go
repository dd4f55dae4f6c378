package twochoice

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// addFlat sets the bits of a flat filter of m bits for n keys.
//
// The first round is the paper's online filter: each key sets the bits of the
// group that adds the fewest ones. Every further round removes each key and
// inserts it again in the same way (§3.2). Ties are broken at random, by
// hashes, so the same keys give the same bits.
func addFlat(filter []byte, m uint64, hashes [][]uint64, n int, c Config) {
	f := flatBuilder{m: m, k: c.Probes, holders: make(nibbles, (m+1)/2)}
	chosen := make([]uint8, n)
	for round := range c.Rounds {
		i := 0
		for _, chunk := range hashes {
			for _, h := range chunk {
				if round > 0 {
					f.remove(flatGroup(h, m, int(chosen[i])))
				}
				g := f.best(h, c.Choices, tieBreak(h, round, c.Choices))
				f.insert(flatGroup(h, m, g))
				chosen[i] = uint8(g)
				i++
			}
		}
	}
	for bit := range m {
		if f.holders.at(bit) > 0 {
			filter[bit/8] |= 1 << (bit % 8)
		}
	}
}

// tieBreak draws the group that is looked at first.
func tieBreak(h uint64, round, choices int) int {
	return int(keyhash.Scale(keyhash.Mix(h^uint64(round+1)), uint64(choices)))
}

// flatBuilder is a counting Bloom filter: it counts the holders of each bit, so
// that keys can be removed.
type flatBuilder struct {
	m       uint64
	k       int
	holders nibbles
}

// best returns the group of h that adds the fewest ones, the first of them in
// cyclic order from the given one.
func (f *flatBuilder) best(h uint64, choices, from int) int {
	best, least := 0, f.k+1
	for i := range choices {
		g := (from + i) % choices
		if ones := f.newOnes(flatGroup(h, f.m, g)); ones < least {
			best, least = g, ones
		}
	}
	return best
}

func (f *flatBuilder) newOnes(p group) int {
	ones := 0
	for range f.k {
		ones += int((f.holders.at(p.bit) - 1) >> 7) // 1 if there is no holder
		p.next()
	}
	return ones
}

func (f *flatBuilder) insert(p group) {
	for range f.k {
		f.holders.increment(p.bit)
		p.next()
	}
}

func (f *flatBuilder) remove(p group) {
	for range f.k {
		f.holders.decrement(p.bit)
		p.next()
	}
}

// nibbles are counters of four bits, which suffice for Bloom filters (Fan, Cao,
// Almeida and Broder 2000). One that has reached 15 stays there: its bit may
// stay set for no key, and is never cleared under one.
type nibbles []uint8

const full = 15

func (n nibbles) at(i uint64) uint8 { return n[i/2] >> (i % 2 * 4) & full }

func (n nibbles) increment(i uint64) {
	if n.at(i) != full {
		n[i/2] += 1 << (i % 2 * 4)
	}
}

func (n nibbles) decrement(i uint64) {
	if n.at(i) != full {
		n[i/2] -= 1 << (i % 2 * 4)
	}
}
