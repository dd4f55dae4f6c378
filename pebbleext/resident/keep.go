package resident

import (
	"cmp"
	"math"
	"slices"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
)

// entryBytes is charged to the budget for each known filter, in memory or not:
// its entry, its places in the directory and among the tables, and a last key.
const entryBytes = 464

// writtenFor returns the level that a block of Gravel's was written for.
func writtenFor(block []byte) int {
	info, err := blockfilter.Describe(block)
	if err != nil || info.Level >= numLevels {
		return unknownLevel
	}
	return info.Level
}

// canKnow reports whether there is room for one more entry.
func (f *Filters) canKnow() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.canKnowLocked()
}

func (f *Filters) canKnowLocked() bool {
	return entryBytes*(f.directory.count+1) <= int(f.budget)
}

// room returns the bytes that blocks may take in total.
func (f *Filters) room() int {
	return max(0, int(f.budget)-entryBytes*f.directory.count)
}

// handOver takes a filter that a table's writer has finished. It stays if there
// is space, or if it is expected to save more than those that it takes the
// space of.
func (f *Filters) handOver(h head, block, last []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store != nil { // asked by who reads the store's tables, who may count
		if reads, ok := f.store.opts.Filters[h.policy.Name()]; ok {
			h.policy = unwrap(reads)
		}
	}
	if e := f.know(h, writtenFor(block), last); e != nil && f.place(e, block) {
		f.counts.HandedOver++
	}
}

// know returns the entry of a filter, which is new if there was none, or nil
// if there is no room even for that.
func (f *Filters) know(h head, level int, last []byte) *entry {
	if e := f.directory.find(h.id); e != nil {
		return e
	}
	if f.barred[h.id] || !f.canKnowLocked() {
		return nil
	}
	if h.policy.Name() != filterpolicy.Name {
		last = nil // no seed is drawn: tables with other keys may have an equal block
	}
	e := &entry{head: h, last: slices.Clone(last), level: level, born: f.keeper.turn}
	e.use.asked = f.keeper.expected(e)
	f.directory.add(e)
	f.evictOver()
	return e
}

// reject drops a filter that denied a key of the table that was to name it.
func (f *Filters) reject(id identity) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.Rejected++
	if e := f.directory.find(id); e != nil {
		f.forget([]*entry{e})
	}
}

// bar sees to it that filters are never asked.
func (f *Filters) bar(ids map[identity]bool) {
	f.barred = ids
	var gone []*entry
	for id := range ids {
		if e := f.directory.find(id); e != nil {
			gone = append(gone, e)
		}
	}
	f.forget(gone)
}

// place puts a known filter in memory, if it is not there yet, and evicts what
// saves less for it.
func (f *Filters) place(e *entry, block []byte) bool {
	if e.isResident() {
		return false
	}
	need := f.arena.used + roundUp(e.size) - f.room()
	victims := f.victims(need, e.density()/displace)
	if victims == nil && need > 0 {
		return false
	}
	f.evict(victims)
	return f.arena.put(e, block)
}

// displace is how many times more than those in memory a filter must save to
// take their space: loading costs reads, and what is counted is a sample.
const displace = 1.5

// victims returns filters in memory that take at least n bytes together, those
// that save least for each byte, or nil if that takes one of that density or
// more.
func (f *Filters) victims(n int, density float64) []*entry {
	if n <= 0 {
		return nil
	}
	all := slices.Clone(f.arena.blocks)
	all = slices.DeleteFunc(all, func(e *entry) bool { return e.density() >= density })
	slices.SortFunc(all, byDensity)
	for i, e := range all {
		if n -= roundUp(e.size); n <= 0 {
			return all[:i+1]
		}
	}
	return nil
}

// evictOver evicts what is over the budget.
func (f *Filters) evictOver() {
	f.evict(f.victims(f.arena.used-f.room(), math.Inf(1)))
}

func (f *Filters) evict(entries []*entry) {
	if len(entries) == 0 {
		return
	}
	f.arena.remove(entries...)
	f.counts.Evicted += uint64(len(entries))
}

// leastUseful returns n entries, those that save least for each byte.
func (f *Filters) leastUseful(n int) []*entry {
	return slices.SortedFunc(f.directory.all(), byDensity)[:n]
}

func byDensity(a, b *entry) int { return cmp.Compare(a.density(), b.density()) }

// forget drops entries that no table has any more.
func (f *Filters) forget(gone []*entry) {
	if len(gone) == 0 {
		return
	}
	f.arena.remove(gone...)
	for _, e := range gone {
		f.collect(e, 1) // for the figures
		f.directory.remove(e)
	}
}

// wanted returns the known filters that should be in memory but are not, the
// most useful first: those that a greedy choice by density takes, with those
// in memory preferred, and that saved more bytes of late than a load reads.
func (f *Filters) wanted(known []*entry) []*entry {
	rank := func(e *entry) float64 {
		if e.isResident() {
			return e.density() * displace
		}
		return e.density()
	}
	all := slices.Clone(known)
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(rank(b), rank(a)) })
	room, wanted := f.room(), []*entry(nil)
	for _, e := range all {
		if e.retry > f.keeper.turn {
			continue
		}
		if n := roundUp(e.size); n <= room {
			room -= n
			if !e.isResident() && e.tables > 0 && e.saves()*savedBytes >= float64(e.size) {
				wanted = append(wanted, e)
			}
		}
	}
	return wanted
}

// savedBytes is what a table that is not opened saves: an index block and a
// data block of 4 KiB.
const savedBytes = 8 << 10
