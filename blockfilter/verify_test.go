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

func TestVerified(t *testing.T) {
	for _, f := range families {
		for name, c := range map[string]struct {
			damage func(block []byte)
			caught bool
		}{
			"nothing": {func([]byte) {}, false},
			"a zero":  {func(b []byte) { clear(b[len(b)/3:][:8]) }, true},
		} {
			t.Run(fmt.Sprintf("%v/%s", f, name), func(t *testing.T) {
				var events []error
				verified := blockfilter.Damaged(policy(t, f.String()+",verify=true"), c.damage)
				w := verified.OnFailure(func(err error) { events = append(events, err) }).NewWriter()
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
	unheard := blockfilter.Damaged(policy(t, "bloom:10,verify=true"), func(b []byte) { clear(b) })
	require.Empty(t, build(unheard, key(1)))
}

// TestCountDenied: a block with another seed is asked for nothing.
func TestCountDenied(t *testing.T) {
	hashes := filtertest.Hashes(3000, 41)
	for _, f := range families {
		block := f.AppendBlock(nil, hashes, 7)
		require.Zero(t, blockfilter.CountDenied(block, hashes, 7))
		require.Equal(t, 3000, blockfilter.CountDenied(block, hashes, 8))
		block[len(block)-24] ^= 1 // the number of keys, which no query reads
		require.Zero(t, blockfilter.CountDenied(block, hashes, 7))
		block[len(block)-1] ^= 1 // the magic: it contains everything
		require.Zero(t, blockfilter.CountDenied(block, hashes, 7))
	}
}

// BenchmarkVerified tells what the check adds to a build of a million keys:
// the medians of builds in turns.
func BenchmarkVerified(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 40)
	for _, f := range families {
		b.Run(fmt.Sprint(f), func(b *testing.B) {
			var block []byte
			build := func(f blockfilter.Policy) float64 {
				start := time.Now()
				block = f.AppendBlock(block[:0], hashes, 0)
				return float64(time.Since(start).Nanoseconds()) / keys
			}
			verified := policy(b, f.String()+",verify=true")
			var plain, added []float64
			for b.Loop() {
				plain = append(plain, build(f))
				added = append(added, build(verified)-plain[len(plain)-1])
			}
			slices.Sort(plain)
			slices.Sort(added)
			b.ReportMetric(plain[len(plain)/2], "build-ns/key")
			b.ReportMetric(added[len(added)/2], "check-ns/key")
		})
	}
}
