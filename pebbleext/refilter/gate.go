package refilter

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// gate is a compaction scheduler that runs one compaction at a time, and none
// until the store is open: compactions that begin earlier panic in Pebble 2.1.7
// if Open fails, as it does on a full disk, because it closes the file cache
// that they use.
type gate struct {
	store pebble.DBForCompaction

	granting sync.Mutex // held while the store is asked to run a compaction

	mu      sync.Mutex
	open    bool
	running bool
}

var (
	_ pebble.CompactionScheduler   = (*gate)(nil)
	_ pebble.CompactionGrantHandle = (*gate)(nil)
)

// lift opens the gate.
func (g *gate) lift() {
	g.setOpen(true)
	g.grant()
}

func (g *gate) setOpen(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = open
}

// grant runs the compaction that waits, if there is one. Done calls it. Call it
// now and then, too: a compaction may begin to wait just after grant found none.
func (g *gate) grant() {
	g.granting.Lock()
	defer g.granting.Unlock()
	if ok, _ := g.TrySchedule(); ok && !g.store.Schedule(g) {
		g.finish()
	}
}

func (g *gate) finish() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
}

// Register implements pebble.CompactionScheduler. Open calls it.
func (g *gate) Register(_ int, store pebble.DBForCompaction) { g.store = store }

// Unregister implements pebble.CompactionScheduler. Close calls it, after which
// the store must not be asked.
func (g *gate) Unregister() {
	g.setOpen(false)
	g.granting.Lock()
	defer g.granting.Unlock()
}

// TrySchedule implements pebble.CompactionScheduler.
func (g *gate) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open || g.running {
		return false, nil
	}
	g.running = true
	return true, g
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler.
func (g *gate) UpdateGetAllowedWithoutPermission() {}

// Done implements pebble.CompactionGrantHandle.
func (g *gate) Done() {
	g.finish()
	g.grant()
}

// Started implements pebble.CompactionGrantHandle.
func (g *gate) Started() {}

// MeasureCPU implements pebble.CompactionGrantHandle.
func (g *gate) MeasureCPU(pebble.CompactionGoroutineKind) {}

// CumulativeStats implements pebble.CompactionGrantHandle.
func (g *gate) CumulativeStats(pebble.CompactionGrantHandleStats) {}
