package blockfilter_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

// faulty is a family whose blocks are damaged while they are built.
type faulty struct {
	blockfilter.Family
	damage func(block []byte)
}

func (f faulty) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	whole := f.Family.AppendBlock(dst, hashes, seed, level)
	f.damage(whole[len(dst):])
	return whole
}

func TestVerified(t *testing.T) {
	for _, f := range families {
		for name, c := range map[string]struct {
			damage func(block []byte)
			caught bool
		}{
			"nothing":    {func([]byte) {}, false},
			"a zero":     {func(b []byte) { clear(b[len(b)/3:][:8]) }, true},
			"the seed":   {func(b []byte) { b[len(b)-32] ^= 1 }, true},
			"the number": {func(b []byte) { b[len(b)-24] ^= 1 }, false}, // of keys, which no query reads
			"the magic":  {func(b []byte) { b[len(b)-1] ^= 1 }, false},  // contains everything
		} {
			t.Run(fmt.Sprintf("%T%+v/%s", f, f, name), func(t *testing.T) {
				var events []error
				verified := blockfilter.Verified(faulty{f, c.damage}, func(err error) { events = append(events, err) })
				w := blockfilter.NewWriter(verified, 3)
				for table := range 2 {
					for i := range 2000 {
						w.AddKey(key(i))
					}
					block := w.Finish([]byte("before"))
					require.Equal(t, "before", string(block[:6]))
					block = block[6:]
					for i := range 2000 {
						require.True(t, blockfilter.MayContain(block, key(i)))
					}
					if c.caught {
						require.Empty(t, block)
						require.Len(t, events, table+1)
						require.ErrorContains(t, events[table], "of its 2000 keys; its table is written without a filter")
					} else {
						require.NotEmpty(t, block)
						require.Empty(t, events)
					}
				}
			})
		}
	}
	unheard := blockfilter.Verified(faulty{families[0], func(b []byte) { clear(b[:len(b)-32]) }}, nil)
	require.Empty(t, build(unheard, key(1)))
}

// BenchmarkVerified tells what the check adds to a build of a million keys:
// the medians of builds in turns.
func BenchmarkVerified(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 40)
	for _, f := range families {
		b.Run(fmt.Sprintf("%T%+v", f, f), func(b *testing.B) {
			var block []byte
			build := func(f blockfilter.Family) float64 {
				start := time.Now()
				block = f.AppendBlock(block[:0], hashes, 0, 0)
				return float64(time.Since(start).Nanoseconds()) / keys
			}
			var plain, added []float64
			for b.Loop() {
				plain = append(plain, build(f))
				added = append(added, build(blockfilter.Verified(f, nil))-plain[len(plain)-1])
			}
			slices.Sort(plain)
			slices.Sort(added)
			b.ReportMetric(plain[len(plain)/2], "build-ns/key")
			b.ReportMetric(added[len(added)/2], "check-ns/key")
		})
	}
}
