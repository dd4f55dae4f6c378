package blockfilter_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// FuzzMayContain asks arbitrary bytes: no panic, no read out of bounds, and the
// bytes stay as they are. Families' own targets go deeper.
func FuzzMayContain(f *testing.F) {
	for _, family := range families {
		f.Add(build(family, key(1), key(2), key(3)), key(1))
	}
	f.Add([]byte(nil), []byte(nil))
	f.Fuzz(func(t *testing.T, block, key []byte) {
		before := bytes.Clone(block)
		got := blockfilter.MayContain(block, key)
		require.Equal(t, before, block)
		if info, err := blockfilter.Describe(block); err != nil {
			require.True(t, got)
		} else {
			require.Equal(t, len(block), info.Bytes)
		}
	})
}

// FuzzTrailer asks blocks of every family that have arbitrary fields. Lines and
// flat arrays get the geometry of their bytes unless told otherwise: a mutation
// rarely hits it.
func FuzzTrailer(f *testing.F) {
	for family := range uint8(6) {
		f.Add(make([]byte, 192), uint64(0), family, uint8(family%3), uint8(7), uint8(1), []byte("key"))
		f.Add(bytes.Repeat([]byte{0xfe}, 100), uint64(99), family, uint8(family%7), uint8(16), uint8(4), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, body []byte, geometry uint64, family, layout, probes, choices uint8, key []byte) {
		for _, g := range []uint64{geometry, uint64(len(body) / 64), uint64(8*len(body)) - geometry%8} {
			block := trailer.Shape{
				Geometry: g, Family: trailer.Family(family), Params: [3]uint8{layout, probes, choices},
			}.Append(bytes.Clone(body), 0, 0, 0)
			blockfilter.MayContain(block, key)
		}
	})
}

// FuzzBuild builds from arbitrary keys, cut out of data, some repeated and one
// long, and asks for each.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("some keys of one table"), uint8(5))
	f.Add(make([]byte, 1000), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, length uint8) {
		keys := [][]byte{nil, data, bytes.Repeat(data, 100)}
		for len(data) > 0 {
			n := min(len(data), int(length))
			keys = append(keys, data[:n], data[:n])
			data = data[max(n, 1):]
		}
		for _, family := range families {
			block := build(family, keys...)
			for _, k := range keys {
				require.True(t, blockfilter.MayContain(block, k))
			}
		}
	})
}

// TestOneMillionEqualPrefixes: a table of one prefix has a filter of one key.
func TestOneMillionEqualPrefixes(t *testing.T) {
	for _, f := range families {
		w := f.NewWriter()
		for range 1_000_000 {
			w.AddKey([]byte("prefix"))
		}
		block := w.Finish(nil)
		info, err := blockfilter.Describe(block)
		require.NoError(t, err)
		require.EqualValues(t, 1, info.Keys)
		require.Less(t, len(block), 400, fmt.Sprintf("%+v", f))
		require.True(t, blockfilter.MayContain(block, []byte("prefix")))
	}
}
