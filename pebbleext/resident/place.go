package resident

import (
	"slices"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
)

// filterBytes is charged to the budget for each known filter, in memory or not:
// itself, its places in the directory and among the tables, and a last key.
const filterBytes = 512

// writtenFor returns the level that a block of Gravel's was written for.
func writtenFor(block []byte) int {
	info, err := blockfilter.Describe(block)
	if err != nil || info.Level >= numLevels {
		return unknownLevel
	}
	return info.Level
}

// canKnow reports whether there is room for one more filter.
func (f *Filters) canKnow() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.canKnowLocked()
}

func (f *Filters) canKnowLocked() bool {
	known := int64(filterBytes * (f.directory.count + 1))
	return known <= max(f.mu.budget, f.mu.memory.limit)
}

// room returns the bytes that blocks may take in total.
func (f *Filters) room() int {
	return max(0, int(f.mu.budget)-filterBytes*f.directory.count)
}

// free returns the bytes that blocks may take more. It is negative if they take
// too many.
func (f *Filters) free() int { return f.room() - f.mu.arena.used }

// handOver takes a filter that a table's writer has finished.
func (f *Filters) handOver(h head, block, last []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store != nil { // asked by who reads the store's tables, who may count
		if reads, ok := f.store.opts.Filters[h.policy.Name()]; ok {
			h.policy = unwrap(reads)
		}
	}
	if e := f.know(h, writtenFor(block), last); e != nil && f.place(e, block) {
		f.mu.counts.HandedOver++
	}
}

// know returns a filter, which is new if there was none, or nil if there is no
// room even for that.
func (f *Filters) know(h head, level int, last []byte) *filter {
	if e := f.directory.find(h.id); e != nil {
		return e
	}
	if f.mu.barred[h.id] || !f.canKnowLocked() {
		return nil
	}
	if h.policy.Name() != filterpolicy.Name {
		last = nil // no seed is drawn: tables with other keys may have an equal block
	}
	e := &filter{head: h, last: slices.Clone(last)}
	e.mu.level, e.mu.born = level, f.mu.turn
	e.mu.use.asked = f.mu.levels[level+1].expected(h.size)
	f.directory.add(e)
	f.allow(filterBytes)
	f.makeRoom(0)
	return e
}

// reject drops a filter that denied a key of the table that was to name it.
func (f *Filters) reject(id identity) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.counts.Rejected++
	if e := f.directory.find(id); e != nil {
		f.forget([]*filter{e})
	}
}

// bar sees to it that filters are never asked.
func (f *Filters) bar(ids map[identity]bool) {
	f.mu.barred = ids
	var gone []*filter
	for id := range ids {
		if e := f.directory.find(id); e != nil {
			gone = append(gone, e)
		}
	}
	f.forget(gone)
}

// bid returns what a filter offers for memory. One that was not seen is taken to
// be like the last that was.
func (f *Filters) bid(e *filter) bid {
	if !e.mu.seen {
		e.guess(f.mu.like)
	}
	return e.bid(f.share(e))
}

// share estimates which share of the queries of a filter's level is for keys
// that its tables lack.
func (f *Filters) share(e *filter) float64 { return f.mu.levels[e.mu.level+1].share() }

// wantedBits returns the bits a key with which a filter pays.
func (f *Filters) wantedBits(e *filter) float64 { return f.bid(e).bits(f.mu.price) }

// place puts a block of a known filter in memory, cut to the bits that pay, for
// which others make room that have more than pay, or to as many as there is
// space for. It reports false if the filter has not got more bits by that.
func (f *Filters) place(e *filter, block []byte) bool {
	f.mu.like = e.describe(block)
	wanted := f.wantedBits(e)
	if e.mu.most == 0 {
		return f.placeWhole(e, block, wanted > 0)
	}
	info, err := blockfilter.Describe(block)
	if err != nil || info.Fingerprint <= e.mu.bits {
		return false
	}
	if size, err := blockfilter.CutSize(block, max(wanted, 1)); err == nil && wanted > e.mu.bits {
		f.makeRoom(roundUp(size) - e.takes())
	}
	space := (f.free() + e.takes()) / lineSize * lineSize
	f.mu.cut = cutToFit(f.mu.cut[:0], block, info.Fingerprint, space)
	info, err = blockfilter.Describe(f.mu.cut)
	if err != nil || info.Fingerprint <= e.mu.bits {
		return false
	}
	f.mu.arena.remove(e)
	f.mu.arena.put(e, f.mu.cut)
	e.mu.bits = info.Fingerprint
	return true
}

// placeWhole is place for a block that cannot be cut. Others make room if it
// pays.
func (f *Filters) placeWhole(e *filter, block []byte, pays bool) bool {
	n := roundUp(len(block))
	if e.isResident() || f.free() < n && !(pays && f.makeRoom(n)) {
		return false
	}
	f.mu.arena.put(e, block)
	e.mu.bits = float64(len(block)) * 8 / e.mu.keys
	return true
}

// spareBits more than pay are left to a filter as long as others have more.
const spareBits = 0.5

// makeRoom makes filters give bits up, those that have more than pay, so that n
// bytes more can be put, or at least so that no more are taken than may be. It
// reports whether there are n. It goes on where it ended the last time, so that
// all filters are visited in turn.
func (f *Filters) makeRoom(n int) bool {
	if n > 0 {
		f.allow(n - f.free())
	}
	for _, spare := range []float64{spareBits, 0} {
		if f.free() < n {
			f.shrink(n, spare)
		}
	}
	for range 64 { // what the price was found with is an estimate
		if f.free() >= 0 {
			break
		}
		f.mu.price += 1. / 8
		f.shrink(0, 0)
	}
	if f.free() < 0 {
		f.evictOver()
	}
	return f.free() >= n
}

// shrink makes filters give up what they have of more bits than pay and so many
// more, until n bytes are free.
func (f *Filters) shrink(n int, spare float64) {
	a := &f.mu.arena
	var gone []*filter
	leaving := 0
	for range len(a.blocks) {
		if f.free()+leaving >= n {
			break
		}
		f.mu.hand = (f.mu.hand + 1) % len(a.blocks)
		e := a.blocks[f.mu.hand]
		wanted := f.wantedBits(e)
		switch {
		case wanted == 0:
			gone = append(gone, e)
			leaving += e.takes()
		case e.mu.most > 0 && e.mu.bits > wanted+spare:
			f.cut(e, wanted)
		}
	}
	f.evict(gone)
}

// cut leaves a filter in memory with fewer bits.
func (f *Filters) cut(e *filter, bits float64) {
	f.mu.arena.change(e, func(block []byte) int {
		cut, err := blockfilter.Cut(block[:0], block, bits)
		if err != nil {
			return len(block)
		}
		return len(cut)
	})
	if info, err := blockfilter.Describe(e.bytes(e.block.Load())); err == nil {
		e.mu.bits = info.Fingerprint
	}
	f.mu.counts.Cut++
}

// evictOver evicts what is over the budget, whatever it is worth.
func (f *Filters) evictOver() {
	var gone []*filter
	over := -f.free()
	for _, e := range slices.Backward(f.mu.arena.blocks) {
		if over <= 0 {
			break
		}
		gone = append(gone, e)
		over -= e.takes()
	}
	f.evict(gone)
}

func (f *Filters) evict(gone []*filter) {
	if len(gone) == 0 {
		return
	}
	f.mu.arena.remove(gone...)
	for _, e := range gone {
		e.mu.bits = 0
	}
	f.mu.counts.Evicted += uint64(len(gone))
}

// forget drops filters that no table has any more.
func (f *Filters) forget(gone []*filter) {
	if len(gone) == 0 {
		return
	}
	f.mu.arena.remove(gone...)
	for _, e := range gone {
		f.collect(e, 1) // for the figures
		f.directory.remove(e)
	}
}

// forgetOver drops filters for which a smaller budget has no room, those first
// that are not in memory.
func (f *Filters) forgetOver() {
	over := f.directory.count - int(f.mu.budget/filterBytes)
	var gone []*filter
	for _, resident := range []bool{false, true} {
		for e := range f.directory.all() {
			if len(gone) < over && e.isResident() == resident {
				gone = append(gone, e)
			}
		}
	}
	f.forget(gone)
}
