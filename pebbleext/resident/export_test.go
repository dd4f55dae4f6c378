package resident

import "time"

// SetTurnTime sets how often filters are loaded and evicted.
func (f *Filters) SetTurnTime(d time.Duration) { f.keeper.turnTime = d }

// EvictSome evicts every nth filter in memory.
func (f *Filters) EvictSome(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var some []*entry
	for i := 0; i < len(f.arena.blocks); i += n {
		some = append(some, f.arena.blocks[i])
	}
	f.evict(some)
}

// WithTables returns how many filters in memory are those of tables that the
// keeper has listed.
func (f *Filters) WithTables() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.arena.blocks {
		if e.tables > 0 {
			n++
		}
	}
	return n
}
