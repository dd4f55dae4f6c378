package indexfilter_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// BenchmarkCollector adds and finishes blocks of 40 keys; times are for a key.
func BenchmarkCollector(b *testing.B) {
	keys := decimalKeys(40)
	collector := indexfilter.Collector(nil, 8)()
	var buf []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = collector.AddPointKey(sstable.InternalKey{UserKey: keys[i%len(keys)]}, nil)
		if i%len(keys) == len(keys)-1 {
			buf, _ = collector.FinishDataBlock(buf[:0])
		}
	}
}

// BenchmarkIntersects asks one block's filter for absent and for present keys,
// without a Counter and with one, in turns. An operation is a thousand queries
// of each; times are for a query, medians.
func BenchmarkIntersects(b *testing.B) {
	keys := decimalKeys(80)
	collector := indexfilter.Collector(pebble.DefaultComparer, 8)()
	for _, key := range keys[:40] {
		_ = collector.AddPointKey(sstable.InternalKey{UserKey: key}, nil)
	}
	filter, _ := collector.FinishDataBlock(nil)
	plain, counted := indexfilter.NewFilter(nil), indexfilter.NewFilter(nil)
	counted.CountIn(filterpolicy.NewCounter())
	for name, asked := range map[string][][]byte{"present": keys[:40], "absent": keys[40:]} {
		b.Run(name, func(b *testing.B) {
			var plainTimes, countedTimes, differences []float64
			for b.Loop() {
				x, y := timeQueries(plain, filter, asked), timeQueries(counted, filter, asked)
				plainTimes, countedTimes, differences = append(plainTimes, x), append(countedTimes, y), append(differences, y-x)
			}
			b.ReportMetric(median(plainTimes), "ns/query")
			b.ReportMetric(median(countedTimes), "counted-ns/query")
			b.ReportMetric(median(differences), "count-ns")
		})
	}
}

// timeQueries returns the time of a query in nanoseconds.
func timeQueries(f *indexfilter.Filter, filter []byte, keys [][]byte) float64 {
	const queries = 1000
	start := time.Now()
	for i := range queries {
		f.SetPrefix(keys[i%len(keys)])
		_, _ = f.Intersects(filter)
	}
	return float64(time.Since(start).Nanoseconds()) / queries
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
