package ribbon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func TestGeometryRoundTrip(t *testing.T) {
	for _, want := range []geometry{
		{},
		{sizes: 1<<64 - 1, columns: 32, extra: 255, subSeed: 255},
		{sizes: 3 | 2<<bucketBits | 9<<(2*bucketBits), columns: 7, extra: 128, subSeed: 4},
	} {
		require.Equal(t, trailer.Ribbon, want.shape().Family)
		require.Equal(t, want, geometryOf(t, want.shape().Append(nil, 0, 0, 0)))
	}
}

// TestGeometryAddsUp compares the closed forms of offsets and sizes with a sum
// over the blocks.
func TestGeometryAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		g := geometry{
			sizes:   rng.Uint64N(5) | rng.Uint64N(3)<<bucketBits | rng.Uint64N(30)<<(2*bucketBits),
			columns: 1 + rng.Uint64N(20),
			extra:   rng.Uint64N(256),
		}
		slots, wide, at := g.slots(), g.wide(), uint64(0)
		for block := uint64(0); block*width < slots; block++ {
			require.Equal(t, at, g.offset(block, wide))
			bytes := uint64(8)
			if block == g.full() {
				bytes = g.tail()
			}
			at += bytes * g.columnsOf(block, wide)
		}
		require.Equal(t, at, g.thresholds(wide))
		require.Equal(t, at+uint64(math.Ceil(float64(g.first()+g.second())/4)), g.size())
	}
}

// TestExtremeGeometries asks tables of every small geometry, filled with ones,
// whether a builder would make it or not.
func TestExtremeGeometries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	hashes := []uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1, rng.Uint64(), rng.Uint64(), rng.Uint64()}
	for _, first := range []uint64{0, 1, 2} {
		for _, second := range []uint64{0, 1, 3} {
			for last := range uint64(18) {
				for _, columns := range []uint64{1, 3, 4, 8, 31, 32} {
					for _, extra := range []uint64{0, 100, 255} {
						g := geometry{first | second<<bucketBits | last<<(2*bucketBits), columns, extra, 7}
						body := make([]byte, g.size())
						for i := range body {
							body[i] = byte(rng.Uint32())
						}
						block := g.shape().Append(body, 0, 0, 0)
						for _, h := range hashes {
							got := MayContain(block, h)
							require.True(t, got || g.valid())
						}
					}
				}
			}
		}
	}
}
