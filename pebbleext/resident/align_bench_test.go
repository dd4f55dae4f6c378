package resident

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

var alignBytes = flag.Int("align-bytes", 128<<20, "of filters in BenchmarkAlignment")

// BenchmarkAlignment times queries at random of filters in an arena against
// the same filters at 16 bytes past a line on the Go heap, as Pebble's block
// cache has them.
func BenchmarkAlignment(b *testing.B) {
	const keysEach = 1 << 20
	policy := filterpolicy.Bloom(10)
	w := policy.NewWriter(pebble.TableFilter)
	for i := range keysEach {
		w.AddKey(binary.BigEndian.AppendUint64(nil, uint64(i)))
	}
	block := w.Finish(nil)
	n := *alignBytes / len(block)
	a := newArena(b, n*roundUp(len(block)))
	aligned, straddling := make([][]byte, n), make([][]byte, n)
	for i := range n {
		e := &filter{head: head{size: len(block)}}
		require.True(b, a.put(e, block))
		aligned[i] = e.bytes(e.block.Load())
		straddling[i] = alignTo(make([]byte, len(block)+2*lineSize), lineSize)[16:][:len(block)]
		copy(straddling[i], block)
	}
	var times [2][]float64
	var key [8]byte
	for range b.N {
		for side, filters := range [][][]byte{aligned, straddling} {
			const queries = 100_000
			began := time.Now()
			for range queries {
				binary.LittleEndian.PutUint64(key[:], rand.Uint64())
				policy.MayContain(tableFilter, filters[rand.IntN(n)], key[:])
			}
			times[side] = append(times[side], float64(time.Since(began).Nanoseconds())/queries)
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	b.ReportMetric(times[0][b.N/2], "aligned-ns")
	b.ReportMetric(times[1][b.N/2], "straddling-ns")
	b.ReportMetric(times[0][b.N/2]/times[1][b.N/2], "ratio")
}
