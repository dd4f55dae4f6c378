package ribbon

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
)

// sizes are filtertest.Sizes and those at which layers come and go.
var sizes = append([]int{9, 16, 17, 127, 129, 599, 600, 601, 700, 5000, 14_000, 16_000}, filtertest.Sizes...)

// pairs returns n random hashes with values of bits bits.
func pairs(n, bits int) (hashes []uint64, values []uint32) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(bits)))
	hashes, values = make([]uint64, n), make([]uint32, n)
	for i := range hashes {
		hashes[i], values[i] = rng.Uint64(), rng.Uint32()>>(32-bits)
	}
	return hashes, values
}

// requireValues holds a retrieval structure to a map.
func requireValues(t *testing.T, hashes []uint64, values []uint32, bits int) *Retrieval {
	t.Helper()
	r, err := NewRetrieval(hashes, values, bits)
	require.NoError(t, err)
	for i, h := range hashes {
		if got := r.Get(h); got != values[i] {
			require.Equal(t, values[i], got, "%d keys, %d bits, key %d, hash %#x", len(hashes), bits, i, h)
		}
	}
	return r
}

func TestRetrievalNeverWrong(t *testing.T) {
	for _, n := range sizes {
		for _, bits := range []int{1, 2, 4, 5, 8, 13, 31, 32} {
			hashes, values := pairs(n, bits)
			requireValues(t, hashes, values, bits)
		}
	}
}

// TestRetrievalTwoLanes covers layers that two lanes fill.
func TestRetrievalTwoLanes(t *testing.T) {
	for _, n := range []int{minTwoLanes * bucketSlots, minTwoLanes*bucketSlots*23/22 + 1, 200_000} {
		hashes, values := pairs(n, 8)
		r := requireValues(t, hashes, values, 8)
		require.GreaterOrEqual(t, r.g.first(), uint64(minTwoLanes-64))
		require.InEpsilon(t, 1.003*float64(n), r.Size(), 0.002)
	}
}

// TestRetrievalTakesAnyKeys builds from hashes that are not random.
func TestRetrievalTakesAnyKeys(t *testing.T) {
	const n = 5000
	for name, hash := range map[string]func(i uint64) uint64{
		"counting":         func(i uint64) uint64 { return i },
		"counting down":    func(i uint64) uint64 { return -i },
		"high bits":        func(i uint64) uint64 { return i << 51 },
		"one bucket":       func(i uint64) uint64 { return 1<<40 + i<<20 },
		"one low bit":      func(i uint64) uint64 { return i * 0x9e3779b97f4a7c15 &^ 1 },
		"pairs":            func(i uint64) uint64 { return i / 2 * 0x9e3779b97f4a7c15 },
		"all equal":        func(uint64) uint64 { return 42 },
		"zero":             func(uint64) uint64 { return 0 },
		"multiples of row": func(i uint64) uint64 { return i << 1 * inverse(rowMultiplier) },
	} {
		t.Run(name, func(t *testing.T) {
			hashes, values := make([]uint64, n), make([]uint32, n)
			for i := range hashes {
				hashes[i] = hash(uint64(i))
				values[i] = uint32(hashes[i]*0xd1342543de82ef95>>40) & 0xff
			}
			requireValues(t, hashes, values, 8)
		})
	}
}

// inverse returns the inverse of an odd number modulo 2⁶⁴ (Newton).
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

func TestRetrievalErrors(t *testing.T) {
	for _, n := range []int{2, 100, 10_000} {
		hashes, values := pairs(n, 8)
		hashes[n-1], values[n-1] = hashes[0], values[0]^1
		_, err := NewRetrieval(hashes, values, 8)
		require.ErrorIs(t, err, ErrConflict)

		values[n-1] = values[0]
		requireValues(t, hashes, values, 8)
	}
	for _, c := range []struct {
		values []uint32
		bits   int
		wrong  string
	}{
		{[]uint32{1}, 0, "a value has from 1 to 32 bits, not 0"},
		{[]uint32{1}, 33, "a value has from 1 to 32 bits, not 33"},
		{[]uint32{1, 2}, 8, "2 values for 1 keys"},
		{[]uint32{256}, 8, "value 256 has more than 8 bits"},
	} {
		_, err := NewRetrieval([]uint64{7}, c.values, c.bits)
		require.EqualError(t, err, c.wrong)
	}
}

func TestRetrievalOfNothing(t *testing.T) {
	r, err := NewRetrieval(nil, nil, 8)
	require.NoError(t, err)
	require.Zero(t, r.Get(7))
}

// TestBandAgreesWithDenseElimination compares which equations fit, and the
// solution, with plain Gauss-Jordan elimination.
func TestBandAgreesWithDenseElimination(t *testing.T) {
	const slots = 150
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b band
		b.resize(slots)
		var dense denseSystem
		var accepted []equation
		for range 160 {
			e := equation{rng.Uint64N(slots - width + 1), row(rng.Uint64()), rng.Uint32N(4)}
			inserted := e
			b.insert(&inserted)
			fits := dense.add(e)
			require.Equal(t, fits, !inserted.contradicts())
			if fits {
				accepted = append(accepted, e)
			}
		}
		g := geometry{sizes: (slots + unit - 1) / unit << (2 * bucketBits), columns: 2}
		b.resize(g.slots())
		data := make([]byte, g.size()+overread)
		b.solve(g, data)
		for _, e := range accepted {
			require.Equal(t, e.value, g.value(data, g.reachOf(e.slot, e.row, g.wide())))
		}
	}
}

// denseSystem is a linear system of up to 192 unknowns in reduced form.
type denseSystem struct{ rows []denseRow }

type denseRow struct {
	bits  [3]uint64
	value uint32
}

// add adds an equation and reports whether the system still has a solution.
func (d *denseSystem) add(e equation) bool {
	r := denseRow{value: e.value}
	for i := range uint64(width) {
		if e.row>>i&1 == 1 {
			r.bits[(e.slot+i)/64] ^= 1 << ((e.slot + i) % 64)
		}
	}
	for _, have := range d.rows {
		if pivot := have.pivot(); r.bits[pivot/64]>>(pivot%64)&1 == 1 {
			r.xor(have)
		}
	}
	if r.bits == [3]uint64{} {
		return r.value == 0
	}
	pivot := r.pivot()
	for i := range d.rows {
		if d.rows[i].bits[pivot/64]>>(pivot%64)&1 == 1 {
			d.rows[i].xor(r)
		}
	}
	d.rows = append(d.rows, r)
	return true
}

func (r *denseRow) xor(other denseRow) {
	for i := range r.bits {
		r.bits[i] ^= other.bits[i]
	}
	r.value ^= other.value
}

// pivot returns the last unknown of the row.
func (r *denseRow) pivot() int {
	for i := 191; i >= 0; i-- {
		if r.bits[i/64]>>(i%64)&1 == 1 {
			return i
		}
	}
	return -1
}
