//go:build !purego

package gf2

func init() {
	if useGFNI {
		transposers["GFNI"] = transposeGFNI
	}
	if useAVX2 {
		transposers["AVX2"] = func(to, from *[WordSlots]uint64) {
			*to = *from
			transposeAVX2(to)
		}
		eliminators["AVX2"] = eliminateAVX2
	}
}
