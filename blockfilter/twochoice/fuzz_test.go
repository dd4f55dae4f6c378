package twochoice

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/line"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

// FuzzOptimizer compares the kernels with the optimiser by definition, on
// lines of arbitrary keys.
func FuzzOptimizer(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint8(8), uint8(2), uint8(4))
	f.Add(make([]byte, 800), uint8(16), uint8(4), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, k, choices, rounds uint8) {
		var hashes []uint64
		for ; len(data) >= 8 && len(hashes) < 300; data = data[8:] {
			hashes = append(hashes, binary.LittleEndian.Uint64(data))
		}
		if len(hashes) == 0 {
			return
		}
		o := optimizer{probes: 1 + int(k)%16, choices: 2 + int(choices)%(line.MaxChoices-1)}
		n := 1 + int(rounds)%6
		require.Equal(t, newReference(hashes, o.probes, o.choices).line(n), o.line(hashes, n))
	})
}

// FuzzBuild builds from arbitrary hashes, of which many may be equal or in one
// line.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("hashes of two bytes each, and a rest"), uint16(2560), uint8(0))
	f.Add(make([]byte, 4000), uint16(1), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, bits uint16, shift uint8) {
		hashes := [][]uint64{nil}
		for ; len(data) >= 2; data = data[2:] {
			h := uint64(binary.LittleEndian.Uint16(data)) * 0x9e3779b97f4a7c15
			hashes[0] = append(hashes[0], h>>(shift%64), h<<(shift%64))
		}
		for _, c := range configs(float64(1+bits)/65536*64, 0, 2) {
			filtertest.NoFalseNegatives(t, filtertest.Asker(build(c, hashes), MayContain), hashes)
		}
	})
}
