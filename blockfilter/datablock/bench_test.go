package datablock

import (
	"fmt"
	"testing"
)

// keysOf returns n keys that no other stream has.
func keysOf(stream string, n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "%s%019d", stream, i)
	}
	return keys
}

// BenchmarkBuild is all that a filter costs: hashes, system and solution.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1, 4, 10, 20, 40, 64, 100, 300, 1000, maxKeys} {
		b.Run(fmt.Sprint("keys=", n), func(b *testing.B) {
			builder := NewBuilder(8)
			keys := keysOf("user", n)
			var filter []byte
			bytes := 0
			for b.Loop() {
				for _, k := range keys {
					builder.Add(k)
				}
				filter = builder.AppendFilter(filter[:0])
				bytes += len(filter)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
			b.ReportMetric(float64(bytes*8)/float64(b.N*n), "bits/key")
		})
	}
}

func BenchmarkMayContain(b *testing.B) {
	const questions = 1 << 12
	for _, n := range []int{4, 40, 300} {
		for _, bits := range []int{8, 12} {
			builder := NewBuilder(bits)
			keys := keysOf("user", n)
			filter := build(builder, keys)
			for name, asked := range map[string][][]byte{"present": keys, "absent": keysOf("none", questions)} {
				b.Run(fmt.Sprintf("%s/keys=%d/bits=%d", name, n, bits), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						MayContain(filter, asked[i%len(asked)])
					}
				})
			}
		}
	}
}
