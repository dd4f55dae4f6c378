package dense

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

func build(c Config, hashes [][]uint64) []byte {
	return c.AppendBlock(nil, hashes, filtertest.Seed, 3)
}

// reference is MayContain for a line as FORMAT.md has it, bit by bit.
func reference(line []byte, h uint64) bool {
	word := uint64(binary.LittleEndian.Uint16(line))
	m, window, share := int(word%128), word>>7%16, word>>11
	if m == 0 {
		return word != 0
	}
	columns := min(496/m, 31)
	if m > 124 {
		columns = 128 - m
		m = 496 / columns
	}
	y := h * 0x9e3779b97f4a7c15
	y ^= y >> 32
	z, x := y*0x6a09e667f3bcc909, y*0xbb67ae8584caa73b
	selects := func(i int) bool { // slot i of the row
		switch {
		case i < 6:
			return x>>(6+int(window)+i)&1 == 1
		case m <= 64:
			return i < m && y>>(64-m+i)&1 == 1
		case i < 64:
			return y>>i&1 == 1
		case m <= 124:
			return i < m && z>>(128-m+i-64)&1 == 1
		}
		return z>>(i-64)&1 == 1
	}
	start := 0
	if m > 128 {
		start = int((x >> 40) * uint64(m-127) >> 24)
	}
	if x>>27%32 < share && m <= 124 {
		columns++
	}
	for j := range columns {
		sum := x >> (32 + j) & 1
		for i := range 128 {
			bit := 16 + j*m + start + i
			if selects(i) && bit < 512 && line[bit/8]>>(bit%8)&1 == 1 {
				sum ^= 1
			}
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

// kernels has every way to ask one line, which padded returned.
var kernels = map[string]func(line []byte, h uint64) bool{
	"generic":    func(line []byte, h uint64) bool { return contains((*readLine)(line), h) },
	"dispatched": MayContain,
}

// padded returns a block of one line, with random bytes where its trailer does
// not tell the numbers of lines and keys, and the layout.
func padded(line []byte, rng *rand.Rand) []byte {
	p := make([]byte, lineSize+trailer.Size)
	for i := range p {
		p[i] = byte(rng.Uint32())
	}
	copy(p, line)
	binary.LittleEndian.PutUint64(p[lineSize+trailer.GeometryOffset:], 1)
	p[lineSize+trailer.ParamsOffset] = lines
	// A kernel expects long rows in a filter of many keys.
	binary.LittleEndian.PutUint64(p[lineSize+trailer.KeysOffset:], 50+rng.Uint64N(15))
	return p
}

func randomHashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// TestKernelsMatchReference asks lines of every code, and of any bits.
func TestKernelsMatchReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for code := range codes {
		for range 300 {
			line := padded(nil, rng)
			headerOf(code, rng.IntN(windows), rng.IntN(shares)).put(line)
			if rng.IntN(2) == 0 {
				// A line that more keys pass.
				clear(line[2:lineSize])
			}
			h := rng.Uint64()
			want := reference(line, h)
			for name, contains := range kernels {
				require.Equal(t, want, contains(line, h), "%s code=%d h=%#x line=%x", name, code, h, line)
			}
		}
	}
}

// TestSolve builds lines of any number of keys: all pass, of others as many as
// theory says, and the order of the keys does not matter.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var s solver
	squares, lines := 0, 0
	for n := range 520 {
		for range 1 + 2000/(n+20) {
			hashes := randomHashes(rng, n)
			line := slices.Clone(s.solve(hashes))
			head := headerIn(line)
			switch {
			case n == 0:
				require.Equal(t, emptyLine, head)
			case n < 16:
				require.Equal(t, 16, head.code())
			case n <= maxDense:
				lines++
				if head.code() == n {
					squares++
				}
				require.LessOrEqual(t, head.code(), n+2)
			case n > 487:
				require.Equal(t, fullLine, head)
			}
			padded := padded(line, rng)
			for _, h := range hashes {
				if !reference(line, h) {
					t.Fatalf("false negative: %d keys, hash %#x, line %x", n, h, line)
				}
				for name, contains := range kernels {
					if !contains(padded, h) {
						t.Fatalf("false negative: %s, %d keys, hash %#x, line %x", name, n, h, line)
					}
				}
			}
			rng.Shuffle(n, func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
			require.Equal(t, line, s.solve(hashes), "the order of keys matters")
		}
	}
	// 0.96 of 1900 lines, with a standard deviation of 0.005.
	require.Greater(t, float64(squares)/float64(lines), 0.93)
}

func TestNoFalseNegatives(t *testing.T) {
	for _, n := range filtertest.Sizes {
		for _, bits := range []float64{0.1, 1, 2, 3, 4, 5.5, 8, 10, 12.3, 20, 32} {
			for _, limit := range []int{0, 1024, 4096} {
				c := Config{BitsPerKey: bits, MaxBytes: limit}
				hashes := filtertest.Hashes(n, 40)
				block := build(c, hashes)
				filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
				require.Equal(t, c.ExpectedSize(n), len(block))
				require.True(t, c.Wrote(block))
				if limit > 0 {
					require.LessOrEqual(t, len(block), limit)
				}
			}
		}
	}
}

// TestSmall spends no more bits than asked for on few keys, but for a header
// and a byte.
func TestSmall(t *testing.T) {
	for n := 1; n <= 128; n++ {
		for _, bits := range []float64{4, 8, 10, 16} {
			block := build(Config{BitsPerKey: bits}, filtertest.Hashes(n, 41))
			require.LessOrEqual(t, float64(len(block)-trailer.Size), max(3, float64(n)*bits/8+1), "%d keys", n)
		}
	}
	require.Len(t, build(Config{BitsPerKey: 10}, nil), lineSize+trailer.Size)
}

// TestRates compares with the expected rate, from both sides.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		bits            float64
		keys, questions int
	}{
		{3, 100_000, 200_000}, {4, 100_000, 200_000}, {6, 100_000, 1_000_000}, {8, 200_000, 2_000_000},
		{10, 200_000, 4_000_000}, {12, 100_000, 4_000_000}, {16, 100_000, 4_000_000},
		{10, 100, 4_000_000}, {10, 30, 1_000_000}, {8, 128, 1_000_000}, {16, 5, 1_000_000},
	} {
		config := Config{BitsPerKey: c.bits}
		block := build(config, filtertest.Hashes(c.keys, 42))
		positives := filtertest.Positives(filtertest.Asker(block, MayContain), c.questions)
		expected := config.ExpectedRate(c.keys)
		// Tables of 100,000 keys vary by 1 % at 16 bits with their lines.
		filtertest.AtMost(t, expected*1.05, positives, c.questions)
		least := expected * 0.95 * float64(c.questions)
		require.GreaterOrEqual(t, float64(positives), least-filtertest.Sigmas*math.Sqrt(least), "%+v", c)
	}
}

// TestUnevenHashes has all keys in few lines, one line, and few bits.
func TestUnevenHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{10, 100, 129, 300, 1000, 20_000} {
		for name, shape := range map[string]func(h uint64) uint64{
			"one line":  func(h uint64) uint64 { return h >> 24 },
			"two lines": func(h uint64) uint64 { return h>>24 | h<<63 },
			"high bits": func(h uint64) uint64 { return h &^ (1<<40 - 1) },
			"low bits":  func(h uint64) uint64 { return h & (1<<20 - 1) },
			"few":       func(h uint64) uint64 { return h % 7 << 61 },
			"zero":      func(uint64) uint64 { return 0 },
		} {
			hashes := randomHashes(rng, n)
			for i := range hashes {
				hashes[i] = shape(hashes[i])
			}
			block := build(Config{BitsPerKey: 10}, [][]uint64{hashes})
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), [][]uint64{hashes})
			require.NotEmpty(t, name)
		}
	}
}

// TestEqualHashes has each hash several times in lines of many and few keys.
func TestEqualHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var s solver
	for n := 1; n < 400; n += 3 {
		hashes := randomHashes(rng, n)
		for i := range hashes {
			hashes[i] = hashes[rng.IntN(i+1)]
		}
		line := slices.Clone(s.solve(hashes))
		for _, h := range hashes {
			require.True(t, reference(line, h), "%d keys", n)
		}
		slices.Sort(hashes)
		require.Equal(t, line, s.solve(hashes))
	}
}

// TestContradictions alters each field of a block without keys, which answers
// false as it is.
func TestContradictions(t *testing.T) {
	for _, n := range []int{0, 20, 2000} {
		hashes := filtertest.Hashes(n, 43)
		absent := uint64(1)
		for filtertest.Asker(build(Config{BitsPerKey: 10}, hashes), MayContain)(absent) {
			absent++
		}
		for name, alter := range map[string]func(body []byte, v *trailer.View) []byte{
			"no bytes":     func([]byte, *trailer.View) []byte { return nil },
			"short":        func(b []byte, _ *trailer.View) []byte { return b[:len(b)-1] },
			"a line less":  func(b []byte, _ *trailer.View) []byte { return b[:max(0, len(b)-lineSize)] },
			"layout":       func(b []byte, v *trailer.View) []byte { v[trailer.ParamsOffset] = 2; return b },
			"other layout": func(b []byte, v *trailer.View) []byte { v[trailer.ParamsOffset] ^= 1; return b },
			"no geometry":  func(b []byte, v *trailer.View) []byte { clear(v[trailer.GeometryOffset:][:8]); return b },
			"one more":     func(b []byte, v *trailer.View) []byte { v[trailer.GeometryOffset]++; return b },
			"2⁵⁸ lines and no bytes": func(_ []byte, v *trailer.View) []byte {
				binary.LittleEndian.PutUint64(v[trailer.GeometryOffset:], 1<<58)
				return nil
			},
			"all ones": func(b []byte, v *trailer.View) []byte {
				copy(v[trailer.GeometryOffset:], "\xff\xff\xff\xff\xff\xff\xff\xff")
				return b
			},
		} {
			altered := filtertest.Altered(build(Config{BitsPerKey: 10}, hashes), alter)
			require.True(t, MayContain(altered, absent), "%d keys: %s", n, name)
			require.True(t, mayContainGeneric(altered, absent), "%d keys: %s", n, name)
		}
	}
}

func TestWrote(t *testing.T) {
	for _, n := range []int{0, 1, 100, 1000} {
		for _, bits := range []float64{8, 10, 12} {
			block := build(Config{BitsPerKey: bits}, filtertest.Hashes(n, 44))
			for _, other := range []float64{8, 10, 12} {
				want := other == bits || len(block) == Config{BitsPerKey: other}.ExpectedSize(n)
				require.Equal(t, want, Config{BitsPerKey: other}.Wrote(block))
			}
			require.False(t, Config{BitsPerKey: bits}.Wrote(block[1:]))
			require.False(t, Config{BitsPerKey: bits}.Wrote(nil))
		}
	}
}

func TestGolden(t *testing.T) {
	for name, n := range map[string]int{"system": 100, "lines": 400} {
		filtertest.Golden(t, name+".block", build(Config{BitsPerKey: 10}, filtertest.Hashes(n, 1)))
	}
	// Lines of many keys, and one of too many.
	var s solver
	var lines []byte
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 16, 40, 62, 63, 64, 65, 90, 123, 124, 125, 161, 162, 243, 244, 487, 488} {
		lines = append(lines, s.solve(randomHashes(rng, n))...)
	}
	filtertest.Golden(t, "lines", lines)
}

// FuzzMayContain asks any bytes.
func FuzzMayContain(f *testing.F) {
	rng := rand.New(rand.NewPCG(6, 6))
	var s solver
	for _, n := range []int{1, 50, 70, 110, 200} {
		f.Add(slices.Clone(s.solve(randomHashes(rng, n))), uint64(n)<<50)
	}
	f.Fuzz(func(t *testing.T, bits []byte, h uint64) {
		line := padded(bits[:min(lineSize, len(bits))], rand.New(rand.NewPCG(7, 7)))
		want := reference(line, h)
		for name, contains := range kernels {
			require.Equal(t, want, contains(line, h), name)
		}
	})
}

// FuzzSolve builds lines from arbitrary hashes, of which many may be equal or
// near each other.
func FuzzSolve(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint8(0))
	f.Add(make([]byte, 800), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, shift uint8) {
		var hashes []uint64
		for ; len(data) >= 2; data = data[2:] {
			h := uint64(binary.LittleEndian.Uint16(data)) * keyhash.R
			hashes = append(hashes, h>>(shift%64), h<<(shift%64))
		}
		var s solver
		line := slices.Clone(s.solve(hashes))
		for _, h := range hashes {
			require.True(t, reference(line, h))
		}
		slices.Reverse(hashes)
		require.Equal(t, line, s.solve(hashes))

		block := build(Config{BitsPerKey: 8}, [][]uint64{hashes})
		filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), [][]uint64{hashes})
	})
}

// BenchmarkBuild is the time of a block without its keys' hashes.
func BenchmarkBuild(b *testing.B) {
	const keys = 1_000_000
	hashes := filtertest.Hashes(keys, 1)
	var block []byte
	for _, bits := range []float64{6, 8, 10, 16} {
		b.Run(fmt.Sprintf("bits=%v", bits), func(b *testing.B) {
			for b.Loop() {
				block = Config{BitsPerKey: bits}.AppendBlock(block[:0], hashes, filtertest.Seed, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
		})
	}
}

// BenchmarkContains is the time of a query after its hash.
func BenchmarkContains(b *testing.B) {
	const keys = 10_000
	hashes := filtertest.Hashes(keys, 1)
	for _, bits := range []float64{8, 10, 16} {
		ask := filtertest.Asker(build(Config{BitsPerKey: bits}, hashes), MayContain)
		present := slices.Concat(hashes...)
		rand.Shuffle(keys, func(i, j int) { present[i], present[j] = present[j], present[i] })
		for name, asked := range map[string][]uint64{"present": present, "absent": slices.Concat(filtertest.Hashes(keys, 2)...)} {
			b.Run(fmt.Sprintf("%s/bits=%v", name, bits), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					ask(asked[i%keys])
				}
			})
		}
	}
}
