package compressed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

const benchmarkKeys = 1_000_000

func BenchmarkBuild(b *testing.B) {
	for _, z := range []float64{6, 8, 12, 16} {
		b.Run(fmt.Sprintf("z=%g", z), func(b *testing.B) {
			c, hashes := Config{BitsPerKey: z}, filtertest.Hashes(benchmarkKeys, 1)
			block := c.AppendBlock(nil, hashes, filtertest.Seed, 0)
			for b.Loop() {
				block = c.AppendBlock(block[:0], hashes, filtertest.Seed, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkKeys, "ns/key")
			b.ReportMetric(8*float64(len(block))/benchmarkKeys, "bits/key")
		})
	}
}

func BenchmarkMayContain(b *testing.B) {
	for _, z := range []float64{6, 8, 12, 16} {
		hashes := filtertest.Hashes(benchmarkKeys, 1)
		ask := filtertest.Asker(Config{BitsPerKey: z}.AppendBlock(nil, hashes, filtertest.Seed, 0), MayContain)
		present := slices.Concat(hashes...)[:1<<19]
		absent := make([]uint64, 1<<19)
		for i := range absent {
			absent[i] = rand.Uint64()
		}
		for name, questions := range map[string][]uint64{"present": present, "absent": absent} {
			b.Run(fmt.Sprintf("%s/z=%g", name, z), func(b *testing.B) {
				i, positives := 0, 0
				for b.Loop() {
					if ask(questions[i&(1<<19-1)]) {
						positives++
					}
					i++
				}
				b.ReportMetric(100*float64(positives)/float64(b.N), "%")
			})
		}
	}
}

// BenchmarkMayContainKey includes the hash of a 16-byte key.
func BenchmarkMayContainKey(b *testing.B) {
	block := Config{BitsPerKey: 8}.AppendBlock(nil, filtertest.Hashes(benchmarkKeys, 1), filtertest.Seed, 0)
	v, _ := trailer.Parse(block)
	key := make([]byte, 16)
	for b.Loop() {
		key[3] += 7
		key[9]++
		key[11] += 3
		MayContain(block, keyhash.Sum(key, v.Seed()))
	}
}
