package compress

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// golden returns what testdata/name holds: bytes packed once are read forever.
// Under -update it writes got there first.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	return want
}

var edgeSizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 63, 64, 65, 1023, 1024, 70_001}

func TestCodecRoundTrip(t *testing.T) {
	for _, c := range Codecs() {
		for _, size := range edgeSizes {
			for _, p := range []float64{0, 1e-4, 0.0108, 0.3, 0.5, 0.9, 1} {
				array := randomArray(size, p, uint64(size))
				packed := c.Encode([]byte("before"), array)
				require.Equal(t, "before", string(packed[:6]))
				got, err := c.Decode([]byte("before"), packed[6:], size)
				require.NoError(t, err)
				require.True(t, bytes.Equal(append([]byte("before"), array...), got), "%s, %d bytes, p=%g", c.Name(), size, p)
			}
		}
	}
}

func TestCodecLimit(t *testing.T) {
	array := make([]byte, 1<<20) // packs into a few bytes
	for _, c := range Codecs() {
		packed := c.Encode(nil, array)
		_, err := c.Decode(nil, packed, len(array)-1)
		require.ErrorIs(t, err, errTooLarge, c.Name())
		_, err = c.Decode(nil, packed, -1)
		require.ErrorIs(t, err, errTooLarge, c.Name())
	}
}

// TestCodecDamage: a cut is always noticed. A flipped bit need not be, but then
// the arithmetic coder's bytes are another array's.
func TestCodecDamage(t *testing.T) {
	array := randomArray(300, 0.1, 5)
	for _, c := range Codecs() {
		packed := c.Encode(nil, array)
		for n := range len(packed) {
			_, err := c.Decode(nil, packed[:n], 1<<16)
			require.ErrorIs(t, err, errCorrupt, "%s cut to %d bytes", c.Name(), n)
		}
		for i := range 8 * len(packed) {
			damaged := bytes.Clone(packed)
			damaged[i/8] ^= 1 << (i % 8)
			got, err := c.Decode(nil, damaged, 1<<16)
			require.LessOrEqual(t, len(got), 1<<16)
			if c == Arithmetic && err == nil {
				require.Equal(t, damaged, c.Encode(nil, got))
			}
		}
	}
}

// TestArithmeticIsCanonical: forms that would decode to an array, but not to
// one whose packed form they are. TestArithmeticTrailingWord: every array has
// one code, which ends where its last byte does.
func TestArithmeticTrailingWord(t *testing.T) {
	for _, size := range []int{1, 100, 5000} {
		array := make([]byte, size)
		for i := range array {
			array[i] = 1 << (i * i % 11)
		}
		packed := Arithmetic.Encode(nil, array)
		for _, trailing := range []string{"\x00\x00\x00\x00", "\x01\x02\x03\x04", "\x00"} {
			_, err := Arithmetic.Decode(nil, append(bytes.Clone(packed), trailing...), size)
			require.ErrorIs(t, err, errCorrupt)
		}
	}
}

func TestArithmeticIsCanonical(t *testing.T) {
	empty := Arithmetic.Encode(nil, nil)
	_, err := Arithmetic.Decode(nil, append([]byte{0x80}, empty...), 10)
	require.ErrorIs(t, err, errCorrupt, "the size as 80 00")

	// One byte of which one set bit is stated, and a code for 00.
	model := newByteModel(1, 8)
	state, _ := encodeByte(stateLow, &encodeSymbol{model.start[0], model.start[1] - model.start[0]}, nil)
	packed := append([]byte{1, 1}, empty[2:]...)
	binary.LittleEndian.PutUint64(packed[2:], state)
	_, err = Arithmetic.Decode(nil, packed, 10)
	require.ErrorIs(t, err, errCorrupt)
	require.ErrorContains(t, err, "does not have the 1 set bits stated")
}

func TestParseCodec(t *testing.T) {
	for _, c := range Codecs() {
		got, err := ParseCodec(c.Name())
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	_, err := ParseCodec("zip")
	require.EqualError(t, err, `compress: unknown codec "zip"; want arithmetic or snappy`)
}

// published holds Mitzenmacher's table (Compressed Bloom Filters, 2002): m
// array slots and z packed bits per key.
var published = []struct {
	m      float64
	k      int
	z, fpr float64
}{
	{8, 6, 8.0, 0.0216},
	{14, 2, 7.923, 0.0177},
	{92, 1, 7.923, 0.0108},
	{16, 11, 16.0, 0.000459},
	{28, 4, 15.846, 0.000314},
	{48, 3, 15.829, 0.000222},
	{12.6, 2, 7.582, 0.0216},
	{46, 1, 6.891, 0.0215},
}

// TestPublishedRows builds the table's arrays with 100,000 random keys and
// packs them. The number of set slots of n·m has a standard deviation below 0.2
// % of it, so 1 % in size is beyond 5 of them, and 2 % in rate, which is the
// k-th power of that share, beyond 5 of the 0.4 % that the largest k with p far
// from 1/2 has: false alarms are rarer than 1e-6.
func TestPublishedRows(t *testing.T) {
	const keys = 100_000
	for _, row := range published {
		t.Run(fmt.Sprintf("m=%g,k=%d", row.m, row.k), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 1))
			slots := uint64(row.m * keys)
			array := make([]byte, (slots+7)/8)
			for range keys * row.k {
				slot := random.Uint64N(slots)
				array[slot/8] |= 1 << (slot % 8)
			}
			p := float64(countOnes(array)) / float64(slots)
			require.InEpsilon(t, row.fpr, math.Pow(p, float64(row.k)), 0.02)

			packed := 8 * float64(len(Arithmetic.Encode(nil, array)))
			require.InEpsilon(t, row.z, packed/keys, 0.01)
			require.InEpsilon(t, ArrayEntropy(array), packed, 0.002)
		})
	}
}

func TestEntropy(t *testing.T) {
	require.Zero(t, Entropy(0))
	require.Zero(t, Entropy(1))
	require.Equal(t, 1.0, Entropy(0.5))
	require.InDelta(t, Entropy(0.11), Entropy(0.89), 1e-12)
	require.InDelta(t, 0.499916, Entropy(0.11), 1e-6)
	require.Zero(t, ArrayEntropy(nil))
	require.Equal(t, 16.0, ArrayEntropy([]byte{0xf0, 0x0f}))
}

func TestByteModelCoversAllBytes(t *testing.T) {
	for _, c := range []struct{ ones, slots uint64 }{
		{0, 0}, {0, 8}, {8, 8}, {1, 8}, {4, 8}, {1, 1 << 40}, {1<<40 - 1, 1 << 40}, {1 << 62, 1 << 63}, {1 << 63, 1 << 63},
	} {
		m := newByteModel(c.ones, c.slots)
		p := float64(c.ones) / float64(max(c.slots, 1))
		for j := range 256 {
			ones := countOnes(m.order[j : j+1])
			want := math.Pow(p, float64(ones)) * math.Pow(1-p, float64(8-ones))
			got := float64(m.start[j+1]-m.start[j]) / (1 << scaleBits)
			require.InDelta(t, want, got, 512.0/(1<<scaleBits))
			require.Positive(t, got)
		}
	}
}

func TestCodecGolden(t *testing.T) {
	array := randomArray(1000, 0.02, 11)
	for _, c := range Codecs() {
		got, err := c.Decode(nil, golden(t, c.Name()+".packed", c.Encode(nil, array)), len(array))
		require.NoError(t, err)
		require.Equal(t, array, got)
	}
}

func FuzzCodecRoundTrip(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{0, 0, 1, 0, 0, 0x80, 0xff})
	f.Add(randomArray(500, 0.01, 1))
	f.Fuzz(func(t *testing.T, array []byte) {
		for _, c := range Codecs() {
			got, err := c.Decode(nil, c.Encode(nil, array), len(array))
			require.NoError(t, err)
			require.True(t, bytes.Equal(array, got), c.Name())
		}
	})
}

func fuzzDecode(f *testing.F, c Codec) {
	for _, p := range []float64{0, 0.01, 0.5, 1} {
		f.Add(c.Encode(nil, randomArray(100, p, 1)))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		const limit = 1 << 12
		got, err := c.Decode(nil, packed, limit)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(got), limit)
		if c == Arithmetic {
			require.Equal(t, packed, c.Encode(nil, got), "one array has one packed form")
		}
	})
}

func FuzzArithmeticDecode(f *testing.F) { fuzzDecode(f, Arithmetic) }

func FuzzSnappyDecode(f *testing.F) { fuzzDecode(f, Snappy) }
