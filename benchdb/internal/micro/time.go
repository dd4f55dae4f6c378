package micro

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Time is the time of one operation, over rounds.
type Time struct {
	// NS is the median in nanoseconds, and Spread its 95 % confidence interval to
	// either side, as a share of it.
	NS     float64 `json:"ns"`
	Spread float64 `json:"spread"`
	// Ratio is the median of the ratios to the baseline in the same round.
	Ratio  float64 `json:"ratio"`
	Rounds int     `json:"rounds"`
}

// newTime compares a policy with the baseline, round by round. The last round
// may lack either of them.
func newTime(own, baseline []float64) Time {
	n := min(len(own), len(baseline))
	if n == 0 {
		return Time{}
	}
	ratios := make([]float64, n)
	for i := range ratios {
		ratios[i] = own[i] / baseline[i]
	}
	return Time{report.Median(own[:n]), report.Spread(own[:n]), report.Median(ratios), n}
}

func nanoseconds(d time.Duration, operations int) float64 {
	return float64(d.Nanoseconds()) / float64(operations)
}

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
