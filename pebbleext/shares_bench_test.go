package pebbleext_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkShares looks keys up of which none are absent, then all, none and half,
// 20,000 of each, by the rule and by each way alone. It reports the blocks read for
// a lookup in each part from its thousandth lookup on, and their ratio to those of
// the better of pebble.DB.Get and an iterator with all table filters.
func BenchmarkShares(b *testing.B) {
	shares := []float64{0, 1, 0, 0.5}
	counts := map[int]int{6: 160_000, 5: 30_000, 4: 8_000, 3: 2_000}
	s := newBenchStore(b, pebbleext.Uniform(filterpolicy.Bloom(10)), counts, 0.1)
	run := func(r *pebbleext.Reader) (reads []float64) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, share := range shares {
			var begin int64
			for i := range 20_000 {
				if i == 1000 {
					begin = s.db.Metrics().BlockCache.Misses
				}
				keys := s.lookups["present"]
				if rng.Float64() < share {
					keys = s.lookups["absent"]
				}
				_ = storetest.Closed(r.Get(keys[rng.IntN(len(keys))]))
			}
			reads = append(reads, float64(s.db.Metrics().BlockCache.Misses-begin)/19_000)
		}
		return reads
	}
	forced := func(way pointread.Way) []float64 {
		defer pointread.Force(way)()
		return run(pebbleext.ReaderOf(s.db, nil, pebbleext.Options{}))
	}
	for b.Loop() {
		rule := run(pebbleext.ReaderOf(s.db, nil, pebbleext.Options{}))
		get, tables := forced(pointread.Get), forced(pointread.Tables)
		for i, part := range []string{"none", "all", "none-again", "half"} {
			b.ReportMetric(rule[i], part+"-reads")
			b.ReportMetric(rule[i]/min(get[i], tables[i]), part+"-ratio")
		}
	}
}
