package compressed_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// family is a way to spend some bits per key.
type family struct {
	name   string
	config interface {
		AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte
		ExpectedRate(n int) float64
	}
	mayContain filtertest.Query
}

// BenchmarkFamilies measures every family at about 8 and 16 bits per key, in
// turns: the least time of all rounds to build a filter of a million hashed
// keys and to ask it for 64k absent and present ones. It feeds the package
// comment.
func BenchmarkFamilies(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 1)
	present := slices.Concat(hashes...)[:1<<16]
	absent := make([]uint64, 1<<16)
	for i := range absent {
		absent[i] = rand.Uint64()
	}
	for _, bits := range []float64{8, 16} {
		families := []family{
			{"bloom", bloom.Config{BitsPerKey: bits}, bloom.MayContain},
			{"twochoice", twochoice.Config{BitsPerKey: bits}, twochoice.MayContain},
			{"compressed", compressed.Config{BitsPerKey: bits}, compressed.MayContain},
			{"dense", dense.Config{BitsPerKey: bits}, dense.MayContain},
			{"ribbon", ribbon.Config{BitsPerKey: bits}, ribbon.MayContain},
		}
		b.Run(fmt.Sprintf("bits=%g", bits), func(b *testing.B) {
			blocks := make([][]byte, len(families))
			least := make([][3]time.Duration, len(families))
			clock := func(i, what int, work func()) {
				start := time.Now()
				work()
				if d := time.Since(start); least[i][what] == 0 || d < least[i][what] {
					least[i][what] = d
				}
			}
			for b.Loop() {
				for i, f := range families {
					clock(i, 0, func() { blocks[i] = f.config.AppendBlock(blocks[i][:0], hashes, filtertest.Seed, 0) })
					ask := filtertest.Asker(blocks[i], f.mayContain)
					clock(i, 1, func() { askAll(ask, absent) })
					clock(i, 2, func() { askAll(ask, present) })
				}
			}
			for i, f := range families {
				b.ReportMetric(8*float64(len(blocks[i]))/keys, f.name+"-bits/key")
				b.ReportMetric(100*f.config.ExpectedRate(1<<24), f.name+"-%")
				b.ReportMetric(float64(least[i][0].Nanoseconds())/keys, f.name+"-build-ns/key")
				b.ReportMetric(float64(least[i][1].Nanoseconds())/(1<<16), f.name+"-absent-ns")
				b.ReportMetric(float64(least[i][2].Nanoseconds())/(1<<16), f.name+"-present-ns")
			}
		})
	}
}

func askAll(ask func(h uint64) bool, hashes []uint64) (positives int) {
	for _, h := range hashes {
		if ask(h) {
			positives++
		}
	}
	return positives
}
