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
