package filterpolicy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	pebblebloom "github.com/cockroachdb/pebble/v2/bloom"
)

// BenchmarkAgainstPebble compares policies with Pebble's own Bloom filter at 10
// bits per key, with 16-byte keys. One operation is a batch of questions, or
// one table, by each of the two in turn, so that whatever else the machine does
// hits both; it reports the medians of ns per key and of the ratio.
func BenchmarkAgainstPebble(b *testing.B) {
	for _, keys := range []int{10_000, 1_000_000} {
		present, absent := randomKeys(keys, 16, 1), randomKeys(questions, 16, 2)
		for _, text := range []string{"bloom:10", "twochoice:10", "dense:10", "ribbon:7", "compressed:8"} {
			ours, theirs := parse(b, text), pebblebloom.FilterPolicy(10)
			name := fmt.Sprintf("policy=%s/keys=%d", text, keys)
			filter, pebbleFilter := build(ours, present), build(theirs, present)
			b.Run(name+"/op=absent", func(b *testing.B) {
				compare(b, questions, func() { ask(ours, filter, absent) }, func() { ask(theirs, pebbleFilter, absent) })
			})
			b.Run(name+"/op=present", func(b *testing.B) {
				asked := present[:questions]
				compare(b, questions, func() { ask(ours, filter, asked) }, func() { ask(theirs, pebbleFilter, asked) })
			})
			b.Run(name+"/op=build", func(b *testing.B) {
				compare(b, keys, func() { build(ours, present) }, func() { build(theirs, present) })
			})
		}
	}
}

// questions is the length of a batch: too long for a branch predictor to learn.
const questions = 8192

func randomKeys(n, length int, stream uint64) [][]byte {
	rng := rand.NewChaCha8([32]byte{byte(stream)})
	all := make([]byte, n*length)
	_, _ = rng.Read(all)
	return slices.Collect(slices.Chunk(all, length))
}

func build(p pebble.FilterPolicy, keys [][]byte) []byte {
	w := p.NewWriter(pebble.TableFilter)
	for _, k := range keys {
		w.AddKey(k)
	}
	return w.Finish(nil)
}

func ask(p pebble.FilterPolicy, filter []byte, keys [][]byte) {
	for _, k := range keys {
		p.MayContain(pebble.TableFilter, filter, k)
	}
}

func compare(b *testing.B, keys int, ours, theirs func()) {
	var ourTimes, theirTimes, ratios []float64
	seconds := func(f func()) float64 {
		start := time.Now()
		f()
		return time.Since(start).Seconds()
	}
	for b.Loop() {
		x, y := seconds(ours), seconds(theirs)
		ourTimes, theirTimes, ratios = append(ourTimes, x), append(theirTimes, y), append(ratios, x/y)
	}
	perKey := 1e9 / float64(keys)
	b.ReportMetric(median(ourTimes)*perKey, "ns/key")
	b.ReportMetric(median(theirTimes)*perKey, "pebble-ns/key")
	b.ReportMetric(median(ratios), "ratio")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
