package keyrange

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// keys are random ones of many kinds.
var kinds = map[string]func(rng *rand.Rand) []byte{
	"decimal":  func(rng *rand.Rand) []byte { return fmt.Appendf(nil, "user%d", rng.Uint64()) },
	"binary":   func(rng *rand.Rand) []byte { return binary.BigEndian.AppendUint64(nil, rng.Uint64()) },
	"numbered": func(rng *rand.Rand) []byte { return fmt.Appendf(nil, "a/%03x/%d", rng.IntN(30), rng.IntN(300)) },
	"short":    func(rng *rand.Rand) []byte { return bytesOf(rng, rng.IntN(4), []byte{0, 1, 85, 254, 255}) },
	"long":     func(rng *rand.Rand) []byte { return bytesOf(rng, 250+rng.IntN(20), []byte{7}) },
	"any":      func(rng *rand.Rand) []byte { return bytesOf(rng, rng.IntN(40), allBytes) },
}

var allBytes = func() (all []byte) {
	for b := range 256 {
		all = append(all, byte(b))
	}
	return all
}()

func bytesOf(rng *rand.Rand, n int, symbols []byte) []byte {
	key := make([]byte, n)
	for i := range key {
		key[i] = symbols[rng.IntN(len(symbols))]
	}
	return key
}

// TestRanges asks filters of blocks of all kinds of keys for ranges near their
// keys and elsewhere, and compares them with the keys.
func TestRanges(t *testing.T) {
	for name, newKey := range kinds {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			passed, empty := 0, 0
			for range 400 {
				b := NewBuilder(MinBits + rng.IntN(MaxBits-MinBits+1))
				for _, keys := range blocks(rng, newKey) {
					for _, key := range keys {
						b.Add(key)
					}
					filter := b.AppendFilter(nil)
					require.NotEmpty(t, filter)
					for range 40 {
						r := randomRange(rng, newKey, keys)
						has := slices.ContainsFunc(keys, func(key []byte) bool { return inRange(key, r) })
						may := MayContain(filter, r)
						require.False(t, has && !may, "%q of %q: %x", r, keys, filter)
						if !has {
							empty++
						}
						if !has && may {
							passed++
						}
					}
				}
			}
			t.Logf("%d of %d empty ranges pass", passed, empty)
		})
	}
}

// blocks are some of consecutive keys, as a table has them.
func blocks(rng *rand.Rand, newKey func(*rand.Rand) []byte) [][][]byte {
	keys := make([][]byte, 1+rng.IntN(120))
	for i := range keys {
		keys[i] = newKey(rng)
	}
	slices.SortFunc(keys, bytes.Compare)
	return slices.Collect(slices.Chunk(keys, 1+rng.IntN(60)))
}

// randomRange begins and ends at a key of the block, near one, or anywhere.
func randomRange(rng *rand.Rand, newKey func(*rand.Rand) []byte, keys [][]byte) Range {
	end := func() []byte {
		key := bytes.Clone(keys[rng.IntN(len(keys))])
		switch rng.IntN(6) {
		case 0:
			return newKey(rng)
		case 1:
			return append(key, byte(rng.IntN(3)))
		case 2:
			return key[:rng.IntN(len(key)+1)]
		case 3:
			if len(key) > 0 {
				key[rng.IntN(len(key))] += byte(rng.IntN(3)) - 1
			}
		}
		return key
	}
	r := Range{end(), end()}
	if bytes.Compare(r.Lower, r.Upper) > 0 {
		r.Lower, r.Upper = r.Upper, r.Lower
	}
	if rng.IntN(10) == 0 {
		r.Upper = nil
	}
	return r
}

func inRange(key []byte, r Range) bool {
	return bytes.Compare(key, r.Lower) >= 0 && (r.Upper == nil || bytes.Compare(key, r.Upper) < 0)
}

// TestRate asks blocks of 47 keys for empty ranges that begin anywhere: of 7
// bits, one in 64 or fewer pass. That is 781 of 50,000; 1,000 has a chance far
// below one in a million.
func TestRate(t *testing.T) {
	for _, name := range []string{"decimal", "binary"} {
		rng := rand.New(rand.NewPCG(3, 4))
		var keys [][]byte
		for range 47_000 {
			keys = append(keys, kinds[name](rng))
		}
		slices.SortFunc(keys, bytes.Compare)
		b := NewBuilder(7)
		var filters [][]byte
		bits := 0
		for block := range slices.Chunk(keys, 47) {
			for _, key := range block {
				b.Add(key)
			}
			filters = append(filters, b.AppendFilter(nil))
			bits += 8 * len(filters[len(filters)-1])
		}
		require.Less(t, float64(bits)/float64(len(keys)), 12., "bits a key")
		passed, asked := 0, 0
		for asked < 50_000 {
			lower := kinds[name](rng)
			r := Range{lower, append(bytes.Clone(lower), 0)}
			i, found := slices.BinarySearchFunc(keys, lower, bytes.Compare)
			if found || i == len(keys) {
				continue
			}
			asked++
			if MayContain(filters[i/47], r) {
				passed++
			}
		}
		t.Logf("%s: %.2f bits a key, %.4f pass", name, float64(bits)/float64(len(keys)), float64(passed)/float64(asked))
		require.Less(t, passed, 1000, name)
	}
}

// TestLimits: blocks without keys and of too many have no filter.
func TestLimits(t *testing.T) {
	b := NewBuilder(8)
	require.Empty(t, b.AppendFilter(nil))
	for n, has := range map[int]bool{1: true, maxKeys: true, maxKeys + 1: false} {
		for i := range n {
			b.Add(binary.BigEndian.AppendUint32(nil, uint32(i)))
			b.Add(binary.BigEndian.AppendUint32(nil, uint32(i)))
		}
		filter := b.AppendFilter([]byte("dst"))
		require.Equal(t, []byte("dst"), filter[:3])
		require.Equal(t, has, len(filter) > 3, n)
	}
	for _, bits := range []int{-1, MinBits, MaxBits, MaxBits + 1} {
		b := NewBuilder(bits)
		b.Add([]byte("key"))
		require.Equal(t, byte(min(max(bits, MinBits), MaxBits)), b.AppendFilter(nil)[4])
	}
}

// TestNoFilter: what is none may contain everything.
func TestNoFilter(t *testing.T) {
	b := NewBuilder(8)
	for i := range 20 {
		b.Add(fmt.Appendf(nil, "key%02d", i))
	}
	filter := b.AppendFilter(nil)
	none := Range{[]byte("x"), []byte("y")}
	require.False(t, MayContain(filter, none))
	for n := range filter { // cut
		require.True(t, MayContain(filter[:n], Range{[]byte("key0"), []byte("key9")}), n)
	}
	for i, wrong := range []byte{255, 255, 0, 64, 17} {
		damaged := bytes.Clone(filter)
		damaged[i] = wrong
		require.True(t, MayContain(damaged, none), "byte %d", i)
	}
}

var update = flag.Bool("update", false, "write the golden filters anew")

// TestGolden: filters are read, and built, as they were once written.
func TestGolden(t *testing.T) {
	for _, name := range []string{"decimal", "binary", "numbered", "short"} {
		rng := rand.New(rand.NewPCG(5, 6))
		var keys [][]byte
		for range 40 {
			keys = append(keys, kinds[name](rng))
		}
		slices.SortFunc(keys, bytes.Compare)
		b := NewBuilder(7)
		for _, key := range keys {
			b.Add(key)
		}
		filter, path := b.AppendFilter(nil), "testdata/"+name+".filter"
		if *update {
			require.NoError(t, os.WriteFile(path, filter, 0o644))
		}
		golden, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, golden, filter, name)
		for _, key := range keys {
			require.True(t, MayContain(golden, Range{key, append(bytes.Clone(key), 0)}), "%q", key)
		}
	}
}

// FuzzMayContain: bytes of an adversary give an answer, never a panic.
func FuzzMayContain(f *testing.F) {
	b := NewBuilder(8)
	for i := range 20 {
		b.Add(fmt.Appendf(nil, "key%d", i))
	}
	f.Add(b.AppendFilter(nil), []byte("key1"), []byte("key2"))
	f.Fuzz(func(t *testing.T, filter, lower, upper []byte) {
		MayContain(filter, Range{lower, upper})
	})
}

// FuzzRanges builds a filter of any keys, and asks it for a range of any.
func FuzzRanges(f *testing.F) {
	f.Add([]byte("key1\x00key2\x00key30"), byte(7), []byte("key2"), []byte("key3"))
	f.Fuzz(func(t *testing.T, text []byte, bits byte, lower, upper []byte) {
		keys := bytes.Split(text, []byte{0})
		slices.SortFunc(keys, bytes.Compare)
		b := NewBuilder(int(bits))
		for _, key := range keys {
			b.Add(key)
		}
		filter, r := b.AppendFilter(nil), Range{lower, upper}
		if slices.ContainsFunc(keys, func(key []byte) bool { return inRange(key, r) }) {
			require.True(t, MayContain(filter, r))
		}
	})
}

// BenchmarkBuild builds filters of blocks of 47 keys; times are for a key.
func BenchmarkBuild(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var keys [][]byte
	for range 47 {
		keys = append(keys, kinds["decimal"](rng))
	}
	slices.SortFunc(keys, bytes.Compare)
	builder := NewBuilder(7)
	var buf []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		builder.Add(keys[i%47])
		if i%47 == 46 {
			buf = builder.AppendFilter(buf[:0])
		}
	}
}

// BenchmarkMayContain asks one filter for ranges without a key, and for ranges
// around all of its keys, as a long scan does.
func BenchmarkMayContain(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var keys [][]byte
	for range 47_000 {
		keys = append(keys, kinds["decimal"](rng))
	}
	slices.SortFunc(keys, bytes.Compare)
	builder := NewBuilder(7)
	for _, key := range keys[470:517] {
		builder.Add(key)
	}
	filter := builder.AppendFilter(nil)
	var ranges []Range
	for i := range 46 {
		key := keys[470+i]
		ranges = append(ranges, Range{append(bytes.Clone(key[:len(key)-4]), "9999"...), keys[471+i]})
	}
	for name, ranges := range map[string][]Range{"empty": ranges, "around": {{keys[0], keys[1000]}}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				MayContain(filter, ranges[i%len(ranges)])
			}
		})
	}
}

// TestKeysOutOfOrder: a filter of keys that are not ordered by their bytes
// would hide some. The next block has one again.
func TestKeysOutOfOrder(t *testing.T) {
	b := NewBuilder(7)
	for _, keys := range []string{"acbd", "ba", "cab", "abca"} {
		for i := range keys {
			b.Add([]byte(keys[i : i+1]))
		}
		require.Empty(t, b.AppendFilter(nil), keys)
	}
	b.Add([]byte("d"))
	b.Add([]byte("e"))
	filter := b.AppendFilter(nil)
	require.NotEmpty(t, filter)
	require.True(t, MayContain(filter, Range{[]byte("d"), []byte("dd")}))
}
