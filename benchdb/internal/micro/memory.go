package micro

import (
	"runtime"
	"runtime/debug"
)

// allocated returns the bytes that f allocates when it starts with empty pools
// and no garbage is collected meanwhile. Live memory then only grows, so this is
// its high-water mark: the least memory with which f never has to wait for the
// collector. It counts buffers that f outgrew.
func allocated(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	runtime.GC() // what a sync.Pool holds survives one collection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
