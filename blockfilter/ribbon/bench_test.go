package ribbon

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	pebblebloom "github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// BenchmarkBuild builds blocks from hashed keys in one goroutine.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		for _, bits := range []float64{4, 8, 10} {
			b.Run(fmt.Sprintf("keys=%d/bits=%v", n, bits), func(b *testing.B) {
				hashes := filtertest.Hashes(n, 30)
				c := Config{BitsPerKey: bits}
				var block []byte
				for b.Loop() {
					block = c.AppendBlock(block[:0], hashes, filtertest.Seed, 0)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
				b.ReportMetric(float64(len(block)*8)/float64(n), "bits/key")
			})
		}
	}
}

// BenchmarkMayContain asks keys of 16 bytes, in turns with Pebble's own Bloom
// filter at 10 bits per key, and reports the median time of both and their
// ratio. Cached is one filter of 20,000 keys, cold are 512 of a million.
func BenchmarkMayContain(b *testing.B) {
	for _, size := range []struct {
		name         string
		keys, copies int
	}{{"cached", 20_000, 1}, {"cold", 1_000_000, 512}} {
		in, out := someKeys(size.keys, 0), someKeys(size.keys, 1)
		theirs := replicate(pebbleBlock(in), size.copies)
		for _, bits := range []float64{4, 8, 10} {
			ours := replicate(block(in, bits), size.copies)
			for _, ask := range []struct {
				name string
				keys [][]byte
			}{{"absent", out}, {"present", in}} {
				b.Run(fmt.Sprintf("%s/bits=%v/%s", size.name, bits, ask.name), func(b *testing.B) {
					compare(b, ask.keys, ours, theirs)
				})
			}
		}
	}
}

// compare asks blocks of both kinds for the same keys in turns. The number of
// blocks is a power of two.
func compare(b *testing.B, keys, ours, theirs [][]byte) {
	const round = 4096
	policy := pebblebloom.FilterPolicy(10)
	var times [2][]float64
	positives := 0
	for i := 0; b.Loop(); i++ {
		asked := keys[i*round%(len(keys)-round):][:round]
		start := time.Now()
		for j, key := range asked {
			block := ours[j&(len(ours)-1)]
			v, ok := trailer.Parse(block)
			if !ok || MayContain(block, keyhash.Sum(key, v.Seed())) {
				positives++
			}
		}
		middle := time.Now()
		for j, key := range asked {
			if policy.MayContain(pebble.TableFilter, theirs[j&(len(theirs)-1)], key) {
				positives++
			}
		}
		times[0] = append(times[0], float64(middle.Sub(start).Nanoseconds())/round)
		times[1] = append(times[1], float64(time.Since(middle).Nanoseconds())/round)
	}
	for i := range times {
		slices.Sort(times[i])
	}
	mine, pebbles := times[0][len(times[0])/2], times[1][len(times[1])/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(mine, "ns/query")
	b.ReportMetric(pebbles, "pebble-ns/query")
	b.ReportMetric(mine/pebbles, "x-pebble")
}

func someKeys(n int, stream uint64) [][]byte {
	keys := make([][]byte, 0, n)
	for _, chunk := range filtertest.Hashes(n, 31+stream) {
		for _, h := range chunk {
			keys = append(keys, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, h), stream))
		}
	}
	return keys
}

func block(keys [][]byte, bits float64) []byte {
	c := keyhash.Collector{Seed: filtertest.Seed}
	for _, key := range keys {
		c.Add(key)
	}
	return build(Config{BitsPerKey: bits}, c.Hashes())
}

func pebbleBlock(keys [][]byte) []byte {
	w := pebblebloom.FilterPolicy(10).NewWriter(pebble.TableFilter)
	for _, key := range keys {
		w.AddKey(key)
	}
	return w.Finish(nil)
}

func replicate(block []byte, n int) [][]byte {
	copies := make([][]byte, n)
	for i := range copies {
		copies[i] = slices.Clone(block)
	}
	return copies
}
