package ribbon

// bumpBelow packs the thresholds, a byte for each of the four codes: keys that
// start below this position of their bucket are bumped to the next layer.
//
// These are the best of those simulated with 5 % more keys than slots: 0.06 %
// of the slots stay empty. {0, 12, 28, 128} leaves 0.14 %; buckets of 256 slots
// 0.35 % or more; three bits in place of two 0.02 %, less than the third bit
// costs.
const bumpBelow = 0<<0 | 16<<8 | 40<<16 | bucketSlots<<24

// threshold returns the position below which a code bumps keys.
func threshold(code byte) uint64 { return bumpBelow >> (code % 4 * 8) & 0xff }

// minTwoLanes is the number of buckets from which two lanes fill a layer side by
// side. Each has a half of it, and one bucket between the halves is left to the
// end. A row that starts in one bucket ends in the next, even after elimination,
// so the lanes share no slot. The bucket left to the end finds the next one full.
// That costs 57 slots, 0.09 % of a layer of this size. Two lanes take 93 ns for a
// key where one takes 110.
const minTwoLanes = 512

// addBumped inserts keys into a bumped layer and returns those that found no
// room, which are valid until the next call.
func (b *builder) addBumped(l layer, hashes [][]uint64) (bumped []uint64) {
	b.partition(l, hashes)
	b.resize(l.base + l.starts + width)
	b.bumped = b.bumped[:0]

	n := l.starts / bucketSlots
	b.codes = append(b.codes, make([]byte, n)...)
	left := b.lanes[0].begin(b, l, 0, n)
	if n >= minTwoLanes {
		left.end = n/2 - 1
		right := b.lanes[1].begin(b, l, n/2, n)
		for !left.done && !right.done {
			if b.insertEither(&left.eq, &right.eq) {
				left.advance()
			} else {
				right.advance()
			}
		}
		left.finish()
		right.finish()
		left.begin(b, l, n/2-1, n/2)
	}
	left.finish()
	return b.bumped
}

// lane inserts a run of a bumped layer's buckets, key by key, and sets their
// codes. Rows of the bucket before reach into a bucket's first slots, which are
// therefore the most crowded. So its keys go in from the last start slot to the
// first, until one finds no room. The threshold is set above that key, and all
// keys below the threshold are bumped (§4 of the BuRR paper).
type lane struct {
	*builder
	layer  layer
	bucket uint64 // of keys
	end    uint64 // after the lane's buckets

	keys  []uint64 // hashes of the bucket, by falling start slot
	i     int      // the key of eq
	taken []uint64 // the slots of the keys before i, or noSlot
	eq    equation
	done  bool
}

// noSlot stands for the slot of a key whose equation those before it imply.
const noSlot = ^uint64(0)

// begin sets a lane to the first key of the buckets from from and before end.
func (a *lane) begin(b *builder, l layer, from, end uint64) *lane {
	a.builder, a.layer, a.bucket, a.end, a.done = b, l, from-1, end, false
	a.i = len(a.keys)
	a.load()
	return a
}

// finish inserts what is left.
func (a *lane) finish() {
	for !a.done {
		a.insert(&a.eq)
		a.advance()
	}
}

// advance goes from a key that insert is done with to the next.
func (a *lane) advance() {
	switch {
	case a.eq.contradicts():
		a.bump()
		a.i = len(a.keys)
	case a.eq.row == 0:
		a.taken = append(a.taken, noSlot)
		a.i++
	default:
		a.taken = append(a.taken, a.eq.slot)
		a.i++
	}
	a.load()
}

// load makes the equation of key i, of the next bucket's first if there is
// none.
func (a *lane) load() {
	for a.i == len(a.keys) {
		if a.bucket++; a.bucket == a.end {
			a.done = true
			return
		}
		a.keys = descend(a.keys, a.layer, a.sorter.bucket(a.bucket))
		a.i, a.taken = 0, a.taken[:0]
	}
	a.eq = a.layer.equation(a.keys[a.i])
}

// bump sets the bucket's code so that key i is below the threshold, and bumps
// every key that is.
func (a *lane) bump() {
	i, code := a.i, byte(1)
	for a.position(i) >= threshold(code) {
		code++
	}
	for i > 0 && a.position(i-1) < threshold(code) {
		i--
		if slot := a.taken[i]; slot != noSlot {
			a.free(slot)
		}
	}
	a.codes[a.layer.base/bucketSlots+a.bucket] = code
	a.bumped = append(a.bumped, a.keys[i:]...)
}

// position returns where in its bucket key i starts.
func (a *lane) position(i int) uint64 { return a.layer.start(a.keys[i]) % bucketSlots }
