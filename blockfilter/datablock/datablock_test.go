package datablock

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
)

// build builds the filter of one data block.
func build(b *Builder, keys [][]byte) []byte {
	for _, k := range keys {
		b.Add(k)
	}
	return b.AppendFilter(nil)
}

// seeded returns a builder whose next filter has a seed.
func seeded(bits int, seed uint64) *Builder {
	b := NewBuilder(bits)
	b.seed = seed
	return b
}

func requireAll(t *testing.T, filter []byte, keys [][]byte) {
	t.Helper()
	for _, k := range keys {
		if !MayContain(filter, k) {
			require.Failf(t, "false negative", "%d keys, key %q, filter %x", len(keys), k, filter)
		}
	}
}

// TestNoFalseNegatives builds filters of every size around the edges of words
// and of all numbers of columns.
func TestNoFalseNegatives(t *testing.T) {
	for columns := MinBits; columns <= MaxBits; columns++ {
		b := NewBuilder(columns)
		for n := range 401 {
			keys := keysOf(fmt.Sprint(columns, "-"), n)
			filter := build(b, keys)
			requireAll(t, filter, keys)
			if n == 0 {
				require.Empty(t, filter)
				continue
			}
			info, ok := Describe(filter)
			require.True(t, ok)
			require.Equal(t, columns, info.FingerprintBits)
			require.Equal(t, len(filter), info.Bytes)
			require.GreaterOrEqual(t, info.Slots, n)
		}
	}
}

// TestSize holds what the package comment says. A filter of few keys takes a
// byte more than that once in 50,000 blocks or less.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		bits, keys int
		most       float64 // bits a key
	}{
		{8, 1, 24}, {8, 2, 16}, {8, 4, 12}, {8, 8, 11.05}, {8, 10, 10.45}, {8, 20, 9.25}, {8, 40, 8.85},
		{8, 64, 8.55}, {8, 100, 8.45}, {8, 300, 8.27}, {8, 1000, 8.22}, {8, 4000, 8.25}, {8, maxKeys, 8.35},
		{4, 4, 8.2}, {4, 40, 4.8}, {16, 4, 20.1}, {16, 40, 17.3},
	} {
		b, bytes := NewBuilder(c.bits), 0
		builds := 1 + min(5000, 20_000/c.keys)
		for i := range builds {
			b.seed = uint64(i) % system.Seeds
			bytes += len(build(b, keysOf(fmt.Sprint(i), c.keys)))
		}
		require.LessOrEqual(t, float64(bytes*8)/float64(builds*c.keys), c.most, "%+v", c)
	}
}

// TestRates asks many filters for absent keys.
func TestRates(t *testing.T) {
	const questions = 400_000
	for _, n := range []int{1, 2, 4, 10, 40, 60, 70, 300} {
		for _, columns := range []int{4, 8, 12, 16} {
			const filters = 100
			b, positives := NewBuilder(columns), 0
			for i := range filters {
				b.seed = uint64(i)
				filter := build(b, keysOf(fmt.Sprint(i), n))
				for q := range questions / filters {
					if MayContain(filter, binary.BigEndian.AppendUint32(nil, uint32(q))) {
						positives++
					}
				}
			}
			filtertest.AtMost(t, math.Exp2(-float64(columns)), positives, questions)
			least := questions*math.Exp2(-float64(columns)) - filtertest.Sigmas*math.Sqrt(questions*math.Exp2(-float64(columns)))
			require.GreaterOrEqual(t, float64(positives), least, "%d keys, %d bits", n, columns)
		}
	}
}

// TestPreparedKeys asks filters for keys that pass the filter of the same keys
// with another seed.
func TestPreparedKeys(t *testing.T) {
	const wanted = 40_000
	keys := keysOf("user", 40)
	first := build(seeded(8, 7), keys)
	rng, prepared := rand.New(rand.NewPCG(1, 1)), [][]byte(nil)
	for len(prepared) < wanted {
		if k := binary.BigEndian.AppendUint64(nil, rng.Uint64()); MayContain(first, k) {
			prepared = append(prepared, k)
		}
	}
	for seed := range uint64(4) {
		filter, positives := build(seeded(8, seed), keys), 0
		for _, k := range prepared {
			if MayContain(filter, k) {
				positives++
			}
		}
		filtertest.AtMost(t, 1.0/256, positives, wanted)
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	b := NewBuilder(8)
	for range 4000 {
		l, ok := system.Parse(build(b, keysOf("user", 1)))
		require.True(t, ok)
		seen[l.Seed] = true
	}
	// One is missing with probability 128·(127/128)⁴⁰⁰⁰, about 10⁻¹¹.
	require.Len(t, seen, system.Seeds)
}

func TestRepeats(t *testing.T) {
	once, twice := seeded(8, 3), seeded(8, 3)
	keys := keysOf("user", 50)
	for _, k := range keys {
		once.Add(k)
		twice.Add(k)
		twice.Add(k)
	}
	want := once.AppendFilter(nil)
	require.Equal(t, want, twice.AppendFilter(nil))

	// The first key of a block is not the repeat of the last one before.
	filter := build(twice, keys[49:])
	require.NotEmpty(t, filter)
	requireAll(t, filter, keys[49:])
}

// TestEqualHashes has hashes twice that are not neighbours, and half of a
// word's bits the same for all.
func TestEqualHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 5, 30, 100, 400} {
		for _, shape := range []uint64{0, 1<<32 - 1, math.MaxUint64 - 1<<32 + 1, math.MaxUint64} {
			b := NewBuilder(8)
			for range n {
				b.hashes = append(b.hashes, rng.Uint64()&shape)
			}
			b.hashes = append(b.hashes, b.hashes...)
			hashes := append([]uint64(nil), b.hashes...)
			filter := b.AppendFilter(nil)
			require.NotEmpty(t, filter)
			for _, h := range hashes {
				require.True(t, ask(filter, h), "n=%d shape=%x", n, shape)
			}
		}
	}
}

// ask is MayContain for a key of hash h.
func ask(filter []byte, h uint64) bool {
	l, ok := system.Parse(filter)
	return !ok || l.MayContain(filter, h)
}

func TestTooManyKeys(t *testing.T) {
	b := NewBuilder(8)
	keys := keysOf("user", maxKeys+1)
	require.NotEmpty(t, build(b, keys[1:]))
	require.Empty(t, build(b, keys))
	for range 20 {
		for _, k := range keys {
			b.Add(k)
		}
	}
	require.LessOrEqual(t, len(b.hashes), maxKeys+1, "keys beyond the most are not kept")
	require.Empty(t, b.AppendFilter(nil))
	require.NotEmpty(t, build(b, keys[:3]), "the next block has a filter again")
}

func TestNearestBits(t *testing.T) {
	for bits, want := range map[int]int{-1: MinBits, 0: MinBits, MinBits: MinBits, MaxBits: MaxBits, 100: MaxBits} {
		info, _ := Describe(build(NewBuilder(bits), keysOf("user", 3)))
		require.Equal(t, want, info.FingerprintBits)
	}
}

// TestAppends keeps what is before a filter and nothing that was behind it.
func TestAppends(t *testing.T) {
	keys := keysOf("user", 40)
	want := build(seeded(9, 3), keys)
	dst := make([]byte, 3, 100)
	copy(dst, "old")
	for i := range dst[3:100] {
		dst[3:100][i] = 0xff
	}
	b := seeded(9, 3)
	for _, k := range keys {
		b.Add(k)
	}
	require.Equal(t, append([]byte("old"), want...), b.AppendFilter(dst))
}

// TestMalformed answers "maybe" for bytes that are no filter.
func TestMalformed(t *testing.T) {
	for _, filter := range [][]byte{nil, {}, {0}, {7, 0}, {15, 0, 1}} {
		require.True(t, MayContain(filter, []byte("key")))
		_, ok := Describe(filter)
		require.False(t, ok)
	}
}

func TestMayContainAllocatesNothing(t *testing.T) {
	keys := keysOf("user", 40)
	filter := build(NewBuilder(8), keys)
	require.Zero(t, testing.AllocsPerRun(100, func() { MayContain(filter, keys[3]) }))
	b, dst := NewBuilder(8), make([]byte, 0, 200)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, k := range keys {
			b.Add(k)
		}
		dst = b.AppendFilter(dst[:0])
	}))
}

func TestGolden(t *testing.T) {
	for _, n := range []int{1, 4, 40, 300} {
		for _, bits := range []int{4, 8, 13} {
			name := fmt.Sprintf("%d-keys-%d-bits.filter", n, bits)
			filtertest.Golden(t, name, build(seeded(bits, 0x5e), keysOf("user", n)))
		}
	}
}

// FuzzMayContain asks any bytes.
func FuzzMayContain(f *testing.F) {
	for _, n := range []int{1, 4, 40, 300} {
		f.Add(build(seeded(8, 1), keysOf("user", n)), []byte("user0000000000000000000"))
	}
	f.Add([]byte{0xff, 0xff, 1, 2}, []byte(nil))
	f.Fuzz(func(t *testing.T, filter, key []byte) {
		want := true
		if info, ok := Describe(filter); ok {
			l, _ := system.Parse(filter)
			want = l.MayContain(filter, keyhash.Sum(key, l.Seed))
			require.LessOrEqual(t, info.FingerprintBits*info.Slots, 8*len(filter))
		}
		require.Equal(t, want, MayContain(filter, key))
	})
}

// FuzzBuild builds from arbitrary hashes, of which many may be equal or alike.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint8(8), uint8(0))
	f.Add(make([]byte, 800), uint8(4), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, bits, shift uint8) {
		b := NewBuilder(int(bits))
		var hashes []uint64
		for ; len(data) >= 2; data = data[2:] {
			h := uint64(binary.LittleEndian.Uint16(data)) * keyhash.R
			hashes = append(hashes, h>>(shift%64), h<<(shift%64))
		}
		b.hashes = append(b.hashes, hashes...)
		filter := b.AppendFilter(nil)
		for _, h := range hashes {
			require.True(t, ask(filter, h))
		}
	})
}
