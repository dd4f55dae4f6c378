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
