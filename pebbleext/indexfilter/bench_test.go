package indexfilter_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

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

// BenchmarkIntersects asks one block's filter for absent and for present keys.
func BenchmarkIntersects(b *testing.B) {
	keys := decimalKeys(80)
	collector := indexfilter.Collector(pebble.DefaultComparer, 8)()
	for _, key := range keys[:40] {
		_ = collector.AddPointKey(sstable.InternalKey{UserKey: key}, nil)
	}
	filter, _ := collector.FinishDataBlock(nil)
	for name, asked := range map[string][][]byte{"present": keys[:40], "absent": keys[40:]} {
		b.Run(name, func(b *testing.B) {
			f := indexfilter.NewFilter(nil)
			for i := 0; b.Loop(); i++ {
				f.SetPrefix(asked[i%len(asked)])
				_, _ = f.Intersects(filter)
			}
		})
	}
}
