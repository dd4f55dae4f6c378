package twochoice

import (
	"fmt"
	"testing"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

// BenchmarkBuild is the time of a block without its keys' hashes.
func BenchmarkBuild(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 1)
	var block []byte
	for _, l := range []Layout{Line, Flat} {
		for _, bits := range []float64{8, 10, 16} {
			for choices := 2; choices <= MaxChoices; choices++ {
				c := Config{BitsPerKey: bits, Layout: l, Choices: choices}
				name := fmt.Sprintf("layout=%s/bits=%v/choices=%d", []string{"line", "flat"}[l], bits, choices)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						block = c.AppendBlock(block[:0], hashes, 0, 0)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
				})
			}
		}
	}
}
