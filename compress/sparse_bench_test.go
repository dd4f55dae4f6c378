package compress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomLines returns for each line n random slots on average, as many as
// chance wants.
func randomLines(lines int, perLine float64, bucketBits int, seed uint64) [][]uint32 {
	random := rand.New(rand.NewPCG(seed, 2))
	all := make([][]uint32, lines)
	for range int(perLine * float64(lines)) {
		line := random.IntN(lines)
		all[line] = append(all[line], uint32(random.Uint64N(LineBuckets<<bucketBits)))
	}
	return all
}

func packLines(w *SparseWriter, lines [][]uint32, bucketBits int) ([]byte, Shape) {
	w.Reset(bucketBits)
	for _, slots := range lines {
		w.AddLine(slots)
	}
	return w.Finish(nil)
}

func BenchmarkSparse(b *testing.B) {
	// The arrays of most slots for each key in z bits per key.
	for _, c := range []struct {
		z, slots float64
		r        int
	}{{4, 5.626, 2}, {8.15, 90.84, 6}, {16.15, 22_807, 14}} {
		z, slots, r, rate := c.z, c.slots, c.r, -math.Expm1(-1/c.slots)
		perLine := float64(uint64(LineBuckets)<<r) / slots
		lines := randomLines(int(1e6/perLine), perLine, r, 3)
		keys := 0
		for _, l := range lines {
			keys += len(l)
		}
		var w SparseWriter
		data, shape := packLines(&w, lines, r)
		b.Run(fmt.Sprintf("build/z=%g", z), func(b *testing.B) {
			for b.Loop() {
				w.Reset(r)
				for _, slots := range lines {
					w.AddLine(slots)
				}
				data, shape = w.Finish(data[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(keys), "ns/key")
			b.ReportMetric(float64(8*len(data))/float64(keys), "bits/key")
		})
		array := Sparse{shape, data}
		b.Run(fmt.Sprintf("absent/z=%g", z), func(b *testing.B) {
			random := rand.NewPCG(9, 9)
			hits := 0
			for b.Loop() {
				v := random.Uint64()
				line, slot := v>>32*shape.Lines()>>32, v&0xffffffff*shape.LineSlots()>>32
				if array.Has(line, slot) {
					hits++
				}
			}
			b.ReportMetric(100*float64(hits)/float64(b.N), "%")
			b.ReportMetric(100*rate, "%planned")
		})
		b.Run(fmt.Sprintf("present/z=%g", z), func(b *testing.B) {
			i, j := 0, 0
			for b.Loop() {
				i = (i*5 + 1) % len(lines)
				if j++; len(lines[i]) > 0 && !array.Has(uint64(i), uint64(lines[i][j%len(lines[i])])) {
					b.Fatal("lost a slot")
				}
			}
		})
	}
}
