package blockfilter_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// families has every family, and the options that change its bytes.
var families = policies(
	"bloom:10",
	"bloom:10,layout=flat",
	"bloom:10,layout=flat,scheme=classic",
	"twochoice:10",
	"twochoice:10,choices=4,rounds=2",
	"twochoice:10,layout=flat",
	"ribbon:7",
	"ribbon:8.5",
	"dense:10",
	"compressed:9",
)

func policies(texts ...string) (all []blockfilter.Policy) {
	for _, text := range texts {
		p, err := blockfilter.ParsePolicy(text)
		if err != nil {
			panic(err)
		}
		all = append(all, p)
	}
	return all
}

func key(i int) []byte { return fmt.Appendf(nil, "key%07d", i) }

func build(p blockfilter.Policy, keys ...[]byte) []byte {
	w := p.ForLevel(3).NewWriter()
	for _, k := range keys {
		w.AddKey(k)
	}
	return w.Finish(nil)
}

func TestWriterRoundTrip(t *testing.T) {
	for _, f := range families {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			w := f.NewWriter()
			// A writer serves several tables, one after another.
			for table := range 3 {
				for i := range 5000 {
					for range 1 + i%2 {
						w.AddKey(key(table*10_000 + i))
					}
				}
				block := w.Finish([]byte("before"))
				require.Equal(t, "before", string(block[:6]))
				block = block[6:]
				require.Equal(t, uint64(5000), binary.LittleEndian.Uint64(block[len(block)-24:]), "repeats are dropped")
				positives := 0
				for i := range 10_000 {
					may := blockfilter.MayContain(block, key(table*10_000+i))
					if i < 5000 {
						require.True(t, may)
					} else if may {
						positives++
					}
				}
				// 5000 absent keys at no more than 1 %: 50 expected; more than
				// 100 has a probability below 1e-9.
				require.Less(t, positives, 100)
			}
		})
	}
}

func TestSeedsDiffer(t *testing.T) {
	f := families[0]
	w := f.NewWriter()
	seeds := map[uint64]bool{}
	for range 3 {
		w.AddKey([]byte("key"))
		block := w.Finish(nil)
		seeds[binary.LittleEndian.Uint64(block[len(block)-32:])] = true
	}
	require.Len(t, seeds, 3)
	require.NotEqual(t, build(f, key(1)), build(f, key(1)))
}

func TestMalformedBlocksMayContain(t *testing.T) {
	for _, f := range families {
		good := build(f, key(1), key(2))
		require.False(t, blockfilter.MayContain(good, key(3)) && blockfilter.MayContain(good, key(4)) && blockfilter.MayContain(good, key(5)))
		for length := range len(good) {
			require.True(t, blockfilter.MayContain(good[:length], key(3)), "cut to %d bytes", length)
			require.True(t, blockfilter.MayContain(good[len(good)-length:], key(3)), "last %d bytes", length)
		}
		for family := range 256 {
			block := bytes.Clone(good)
			block[len(block)-8] = byte(family)
			if block[len(block)-8] != good[len(good)-8] {
				blockfilter.MayContain(block, key(3)) // another family's reading of it: no panic
			}
		}
		block := bytes.Clone(good)
		block[len(block)-8] = 200
		require.True(t, blockfilter.MayContain(block, key(3)), "unknown family")
	}
}

// TestNoTrailer: bytes too few for a trailer are no filter of any family.
func TestNoTrailer(t *testing.T) {
	for name, mayContain := range map[string]func(block []byte, h uint64) bool{
		"bloom": bloom.MayContain, "twochoice": twochoice.MayContain, "dense": dense.MayContain,
		"ribbon": ribbon.MayContain, "compressed": compressed.MayContain,
	} {
		for n := range blockfilter.TrailerSize {
			require.True(t, mayContain(make([]byte, n), 1), "%s, %d bytes", name, n)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, f := range families {
		block := build(f, key(1), key(2))
		info, err := blockfilter.Describe(block)
		require.NoError(t, err)
		require.Equal(t, blockfilter.Info{Family: f.Family(), Keys: 2, Bytes: len(block), Level: 3, Fingerprint: info.Fingerprint}, info)
		require.Equal(t, float64(len(block))*4, info.BitsPerKey())

		block[len(block)-8] = 200
		_, err = blockfilter.Describe(block)
		require.ErrorIs(t, err, blockfilter.ErrNotFilterBlock)
		_, err = blockfilter.Describe(block[1:])
		require.ErrorIs(t, err, blockfilter.ErrNotFilterBlock)
	}
	info, err := blockfilter.Describe(families[0].NewWriter().Finish(nil))
	require.NoError(t, err)
	require.Equal(t, -1, info.Level)
	require.Zero(t, info.BitsPerKey())
}

func TestMayContainAllocatesNothing(t *testing.T) {
	for _, f := range families {
		block := build(f, key(1), key(2))
		for _, k := range [][]byte{key(1), key(3), nil, make([]byte, 1000)} {
			require.Zero(t, testing.AllocsPerRun(100, func() { blockfilter.MayContain(block, k) }), "%+v", f)
		}
	}
}
