package ribbon

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// builder holds the scratch of one build.
type builder struct {
	band
	sorter sorter
	bucket bucket
	bumped []uint64
	codes  []byte // of the buckets' thresholds
}

// build eliminates the equations of all keys. It returns the table's geometry
// without its columns. It reports false if it finds no solution: if there are
// more keys than a geometry has room for or, with negligible probability, after
// bad luck with every sub-seed.
func (b *builder) build(hashes [][]uint64) (g geometry, ok bool) {
	n := keyhash.Count(hashes)
	b.reset(n + n/64 + 4*bucketSlots)
	b.codes = b.codes[:0]
	if n == 0 {
		return g, true
	}
	if g.sizes = bucketsFor(n); g.first() > 0 {
		hashes = [][]uint64{b.addBumped(g.firstLayer(), hashes)}
		g.sizes |= bucketsFor(keyhash.Count(hashes)) << bucketBits
	}
	if g.second() > 0 {
		hashes = [][]uint64{b.addBumped(g.secondLayer(), hashes)}
	}
	return b.addLast(g, hashes)
}

// bucketsFor returns the size of a bumped layer for n keys. It is 0 up to about
// minBumped keys: these go into the last layer right away, which takes 2 % more
// slots than keys. A bumped layer and the least last layer would lose more.
//
// From some 1000 keys on there are 4.5 % more keys than slots. With fewer keys
// more slots stay empty: 0.18 % at 3 %, and 0.06 % at 5 %. With more keys more
// are bumped, which a query finds in a second layer only.
func bucketsFor(n int) uint64 {
	const (
		minBumped = 600
		minLeft   = 45 // keys for the last layer, which is 64 slots or more
	)
	if n < minBumped {
		return 0
	}
	return min(uint64(min(n-n/23, n-minLeft)/bucketSlots), maxBuckets)
}

// store back-substitutes into body, which is zero, and adds the thresholds.
func (b *builder) store(g geometry, body []byte) {
	b.solve(g, body)
	thresholds := body[g.thresholds(g.wide()):]
	for i, code := range b.codes {
		thresholds[i/4] |= code << (i % 4 * 2)
	}
}
