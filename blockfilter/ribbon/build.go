package ribbon

// builder holds the scratch of one build.
type builder struct {
	band
	sorter
	lanes  [2]lane
	bumped keys
	codes  []byte // of the buckets' thresholds
}

// build solves for the keys of all chunks, as far as a band. It returns the
// table's geometry without its columns. It reports false if it finds no
// solution: if two keys of the same hash have different values, if there are
// more keys than a geometry has room for, or, with negligible probability,
// after bad luck with every sub-seed.
func (b *builder) build(chunks []keys) (g geometry, ok bool) {
	n := count(chunks)
	b.reset(n + n/64 + 4*bucketSlots)
	b.codes = b.codes[:0]
	if n == 0 {
		return g, true
	}
	if g.sizes = bucketsFor(n); g.first() > 0 {
		chunks = []keys{b.addBumped(g.firstLayer(), chunks)}
		g.sizes |= bucketsFor(count(chunks)) << bucketBits
	}
	if g.second() > 0 {
		chunks = []keys{b.addBumped(g.secondLayer(), chunks)}
	}
	return b.addLast(g, chunks)
}

// bucketsFor returns the size of a bumped layer for n keys, 0 if they go into
// the last layer right away, which then takes 2 % more slots than keys: fewer
// than a bumped layer and the least last layer lose, up to about minBumped.
//
// From some 1000 keys on there are 4.5 % more keys than slots. Fewer leave more
// slots empty, 0.18 % at 3 % against 0.06 % at 5 %; more are bumped, and found
// in a second layer only.
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
