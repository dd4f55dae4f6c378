package twochoice

import (
	"fmt"
	"testing"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// BenchmarkBuild is the time of a block without its keys' hashes.
func BenchmarkBuild(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 1)
	var block []byte
	for _, flat := range []bool{false, true} {
		for _, bits := range []float64{8, 10, 16} {
			for choices := 2; choices <= line.MaxChoices; choices++ {
				c := Config{BitsPerKey: bits, Flat: flat, Choices: choices}
				name := fmt.Sprintf("flat=%v/bits=%v/choices=%d", flat, bits, choices)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						block = c.AppendBlock(block[:0], hashes, filtertest.Seed, 0)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
				})
			}
		}
	}
}
