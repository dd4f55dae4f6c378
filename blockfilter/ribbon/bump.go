package ribbon

import "slices"

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

// parts is the number of parts between the thresholds of a bucket. They are
// numbered from the last part on, which is filled first: code parts − p bumps
// the keys of part p and of those after it.
const parts = 3

// partStart returns the first position of a part.
func partStart(part int) uint64 { return threshold(byte(parts - 1 - part)) }

// partOf has the part of each position.
var partOf = func() (of [bucketSlots]uint8) {
	for part := parts - 1; part > 0; part-- {
		for position := range partStart(part - 1) {
			of[position] = max(of[position], uint8(part))
		}
	}
	return of
}()

// addBumped inserts keys into a bumped layer and returns those that found no
// room, which are valid until the next call.
func (b *builder) addBumped(l layer, hashes [][]uint64) (bumped []uint64) {
	b.sorter.partition(l, hashes)
	b.resize(l.base + l.starts + width)
	b.bumped = b.bumped[:0]
	for i := range l.starts / bucketSlots {
		keys := b.sorter.bucket(i)
		code := b.bucket.add(&b.band, l, l.base+i*bucketSlots, keys)
		b.codes = append(b.codes, code)
		if code == 0 {
			continue
		}
		for _, h := range keys {
			if l.start(h)%bucketSlots < threshold(code) {
				b.bumped = append(b.bumped, h)
			}
		}
	}
	return b.bumped
}

// bucket inserts the keys of a bucket.
type bucket [parts]part

// part is the part of a bucket's keys that start in a part of its slots.
type part struct {
	taken []uint64  // slots
	left  equations // of keys that do not have a slot yet
}

// equations are what equation is for several keys.
type equations struct {
	starts []uint32 // slots, after a first one
	rows   []uint64
	values []uint32
}

// add inserts the keys of the bucket at slot base and returns its code. Rows of
// the bucket before reach into its first slots, which are therefore the most
// crowded. So the parts go in from the last to the first, until one finds no
// room. The keys of that part and of those still to come are bumped (§4 of the
// BuRR paper).
//
// Elimination leads a row only to slots behind its start, and whether equations
// have a solution does not depend on their order. So all parts begin with the
// keys that find their start slot free, nearly half of all, which takes no
// elimination.
func (k *bucket) add(b *band, l layer, base uint64, keys []uint64) (code byte) {
	k.begin(b, l, base, keys)
	for i := range k {
		if !b.insertAll(&k[i], base+partStart(i)) {
			for _, p := range k[i:] {
				for _, slot := range p.taken {
					b.free(slot)
				}
			}
			return byte(parts - i)
		}
	}
	return 0
}

// begin inserts the keys that find their start slot free, and leaves the others
// to their parts.
func (k *bucket) begin(b *band, l layer, base uint64, keys []uint64) {
	for i := range k {
		k[i].reset(len(keys))
	}
	rows, values := b.rows[base:][:bucketSlots], b.values[base:][:bucketSlots]
	for _, h := range keys {
		e := l.equation(h)
		position := (e.slot - base) % bucketSlots
		i := partOf[position]
		if p := &k[i]; rows[position] == 0 {
			rows[position], values[position] = e.row, e.value
			p.taken = append(p.taken, e.slot)
		} else {
			p.left.append(uint32(position-partStart(int(i))), e.row, e.value)
		}
	}
}

// reset empties the part and makes room for n equations.
func (p *part) reset(n int) {
	p.taken = p.taken[:0]
	p.left.starts = slices.Grow(p.left.starts[:0], n)
	p.left.rows = slices.Grow(p.left.rows[:0], n)
	p.left.values = slices.Grow(p.left.values[:0], n)
}

// append adds an equation, for which reset made room.
func (e *equations) append(start uint32, row uint64, value uint32) {
	n := len(e.rows)
	e.starts, e.rows, e.values = e.starts[:n+1], e.rows[:n+1], e.values[:n+1]
	e.starts[n], e.rows[n], e.values[n] = start, row, value
}

// insertAllGeneric inserts the equations that are left of a part, whose starts
// are after slot first. It reports false if they contradict each other or those
// before.
func (b *band) insertAllGeneric(p *part, first uint64) bool {
	if len(p.left.rows) == 0 {
		return true
	}
	next := p.left.at(0, first)
	for i := 1; i < len(p.left.rows); i++ {
		e := next
		next = p.left.at(i, first)
		if !b.insertEither(&e, &next) {
			e, next = next, e
		}
		if !p.take(e) {
			return false
		}
	}
	b.insert(&next)
	return p.take(next)
}

// at returns equation i.
func (e *equations) at(i int, first uint64) equation {
	return equation{first + uint64(e.starts[i]), e.rows[i], e.values[i]}
}

// take keeps the slot of an inserted equation. It reports false if the equation
// contradicts those before.
func (p *part) take(e equation) bool {
	if e.row != 0 {
		p.taken = append(p.taken, e.slot)
	}
	return !e.contradicts()
}
