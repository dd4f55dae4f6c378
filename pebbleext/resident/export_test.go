package resident

import (
	"slices"
	"time"
)

// SetTurnTime sets how often filters are loaded and evicted.
func (f *Filters) SetTurnTime(d time.Duration) { f.background.turnTime = d }

// Survey makes the goroutine in the background list the store's tables.
func (f *Filters) Survey() { f.background.tablesChanged() }

// EvictSome evicts every nth filter in memory.
func (f *Filters) EvictSome(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var some []*filter
	for i := 0; i < len(f.mu.arena.blocks); i += n {
		some = append(some, f.mu.arena.blocks[i])
	}
	f.evict(some)
}

// HasAll reports whether the filters of all tables that the store has at this
// moment are in memory and known to be theirs.
func (f *Filters) HasAll() bool {
	files, err := f.store.files()
	f.mu.Lock()
	defer f.mu.Unlock()
	has := make(map[uint64]bool)
	for _, e := range f.mu.arena.blocks {
		if e.mu.tables > 0 {
			has[e.mu.file] = true
		}
	}
	return err == nil && !slices.ContainsFunc(files, func(file tableFile) bool { return !has[file.number] })
}

// ChangeLimit gives filters that take their memory off the block cache a share of
// it, until the cache is full.
func (f *Filters) ChangeLimit(share float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.memory.limit = int64(share * float64(f.mu.arena.size()))
	f.mu.budget = max(min(f.mu.budget, f.mu.memory.limit), int64(filterBytes*f.directory.count))
	f.makeRoom(0)
	f.allow(f.mu.arena.size())
}

// Reserved is what filters have taken off the block cache.
func (f *Filters) Reserved() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.memory.reserved
}

// Correction is that of the price, as log2.
func (f *Filters) Correction() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.memory.climb.correction
}
