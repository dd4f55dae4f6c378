package micro

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// onCores runs a batch of queries on a number of cores at once, each after
// its preparation, and returns the mean time of a query and the number of
// positive answers on one core.
func onCores(cores, queries int, prepare func(core int), batch func(core int) (yes int)) (ns float64, yes int) {
	times := make([]float64, cores)
	positives := make([]int, cores)
	var waiting atomic.Int64
	waiting.Store(int64(cores))
	var group sync.WaitGroup
	for core := range cores {
		group.Go(func() {
			prepare(core)
			waiting.Add(-1)
			for waiting.Load() > 0 {
				runtime.Gosched() // there may be fewer free cores than asked for
			}
			begin := time.Now()
			n := batch(core)
			times[core], positives[core] = nanoseconds(time.Since(begin), queries), n
		})
	}
	group.Wait()
	for _, t := range times {
		ns += t / float64(cores)
	}
	return ns, positives[0]
}
