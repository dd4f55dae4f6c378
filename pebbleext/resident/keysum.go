package resident

import "hash/maphash"

// keySum is a sum of keyed hashes over the keys of a table that is being
// written. The filter's writer and the table's property collector see the same
// keys but share no object: equal sums tell that they write the same table.
//
// Sums live in memory only, from the end of a filter to the end of its table.
// Their seeds are drawn when the process starts and never leave it, so nobody
// can prepare keys whose sums collide, and by chance those of two tables do
// with probability 2^-128.
type keySum struct {
	keys   uint64 // as often as they are added
	hashes [2]uint64
}

var keySumSeeds = [len(keySum{}.hashes)]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func (s *keySum) add(prefix []byte) {
	s.keys++
	for i, seed := range keySumSeeds {
		s.hashes[i] += maphash.Bytes(seed, prefix)
	}
}
