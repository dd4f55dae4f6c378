package twochoice

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// addFlat sets the bits of a flat filter of m bits for n keys.
//
// The first round is the paper's online filter: each key sets the bits of the
// group that adds the fewest ones. Every further round removes each key and
// inserts it again in the same way (§3.2). Ties are broken at random, by
// hashes, so the same keys give the same bits.
func addFlat(filter []byte, m uint64, hashes [][]uint64, n int, c Config) {
	f := flatBuilder{m: m, k: c.Probes, independent: c.Independent, holders: make(nibbles, (m+1)/2)}
	chosen := make([]uint8, n)
	for round := range c.Rounds {
		i := 0
		for _, chunk := range hashes {
			for _, h := range chunk {
				if round > 0 {
					f.add(flatGroup(h, m, int(chosen[i]), c.Independent), -1)
				}
				g := f.best(h, c.Choices, keyhash.Mix(h^uint64(round+1)))
				f.add(flatGroup(h, m, g, c.Independent), 1)
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

// takesTie tells whether the last of the tied groups so far is the one to take.
// It is with probability 1/ties, so each is taken in the end with the same. A
// look at the groups in cyclic order from a random one on favours some of them,
// and gives 0.8 % higher rates at three choices.
func takesTie(random, ties uint64) bool {
	return keyhash.Scale(keyhash.Mix(random+ties), ties) == 0
}

// flatBuilder is a counting Bloom filter: it counts the holders of each bit, so
// that keys can be removed.
type flatBuilder struct {
	m           uint64
	k           int
	independent bool
	holders     nibbles
}

// best returns the group of h that adds the fewest ones. Ties are broken by
// random.
func (f *flatBuilder) best(h uint64, choices int, random uint64) int {
	best, least, ties := 0, f.k+1, uint64(0)
	for g := range choices {
		switch ones := f.newOnes(flatGroup(h, f.m, g, f.independent)); {
		case ones < least:
			best, least, ties = g, ones, 1
		case ones == least:
			ties++
			if takesTie(random, ties) {
				best = g
			}
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

// add adds 1 or −1 to the holders of a group's bits.
func (f *flatBuilder) add(p group, n int) {
	for range f.k {
		f.holders.add(p.bit, n)
		p.next()
	}
}

// nibbles are counters of four bits, which suffice for Bloom filters (Fan, Cao,
// Almeida and Broder 2000). One that has reached 15 stays there: its bit may
// stay set for no key, and is never cleared under one.
type nibbles []uint8

const full = 15

func (n nibbles) at(i uint64) uint8 { return n[i/2] >> (i % 2 * 4) & full }

// add adds 1 or −1 to counter i.
func (n nibbles) add(i uint64, change int) {
	if n.at(i) != full {
		n[i/2] += uint8(change) << (i % 2 * 4)
	}
}
