package ribbon

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// FuzzGeometry asks tables of any geometry, with as many bytes as it needs:
// each kernel answers what the columns' parities say.
func FuzzGeometry(f *testing.F) {
	for _, n := range []int{1, 100, 1000, 3000} {
		block := build(Config{BitsPerKey: 4.5}, filtertest.Hashes(n, 30))
		g := geometryOf(f, block)
		f.Add(g.sizes, uint8(g.columns), uint8(g.extra), uint8(g.subSeed), block[:len(block)-trailer.Size], uint64(n)<<50)
	}
	f.Fuzz(func(t *testing.T, sizes uint64, columns, extra, subSeed uint8, bits []byte, h uint64) {
		// Most sizes are too large to try: keep the low bits of each layer's.
		sizes &= 7 | 7<<bucketBits | 63<<(2*bucketBits)
		g := geometry{sizes, uint64(columns) % (maxColumns + 2), uint64(extra), uint64(subSeed)}
		body := make([]byte, g.size())
		copy(body, bits)
		block := g.shape().Append(body, 0, 0, 0)
		require.Equal(t, g, geometryOf(t, block))

		want := true
		if g.valid() && g.slots() > 0 {
			r := g.reach(block, h)
			want = (g.value(block, r)^fingerprint(h))&r.mask() == 0
		} else if g.valid() {
			want = false // the empty table
		}
		require.Equal(t, want, MayContain(block, h))
	})
}

// FuzzBuild builds from arbitrary hashes, of which many may be equal, near each
// other, or in one bucket.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint16(8*256), uint8(0))
	f.Add(make([]byte, 800), uint16(256), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, bits uint16, shift uint8) {
		hashes := [][]uint64{nil}
		for ; len(data) >= 2; data = data[2:] {
			h := uint64(binary.LittleEndian.Uint16(data)) * 0x9e3779b97f4a7c15
			hashes[0] = append(hashes[0], h>>(shift%64), h<<(shift%64))
		}
		c := Config{BitsPerKey: 1 + float64(bits)/65536*(maxColumns-1)}
		block := build(c, hashes)
		v, _ := trailer.Parse(block)
		if v.Family() == trailer.Ribbon {
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
		}
	})
}
