package ribbon

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// sizes are filtertest.Sizes and those at which layers come and go.
var sizes = append([]int{9, 16, 17, 127, 129, 599, 600, 601, 700, 5000, 14_000, 16_000}, filtertest.Sizes...)

// TestTwoLanes covers layers that two lanes fill.
func TestTwoLanes(t *testing.T) {
	for _, n := range []int{minTwoLanes * bucketSlots, minTwoLanes*bucketSlots*23/22 + 1, 200_000} {
		hashes := filtertest.Hashes(n, 11)
		block := build(Config{BitsPerKey: 8}, hashes)
		body, v, _ := trailer.Parse(block)
		require.GreaterOrEqual(t, parse(v).first(), uint64(minTwoLanes-64))
		require.InEpsilon(t, 1.003*float64(n), len(body), 0.002)
		filtertest.NoFalseNegatives(t, filtertest.Asker(t, block, MayContain), hashes)
	}
}

// TestTakesAnyKeys builds from hashes that are not random.
func TestTakesAnyKeys(t *testing.T) {
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
			hashes := [][]uint64{make([]uint64, n)}
			for i := range hashes[0] {
				hashes[0][i] = hash(uint64(i))
			}
			block := build(Config{BitsPerKey: 8}, hashes)
			_, v, _ := trailer.Parse(block)
			require.Equal(t, trailer.Ribbon, v.Family())
			filtertest.NoFalseNegatives(t, filtertest.Asker(t, block, MayContain), hashes)
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

// value returns what the columns at r XOR to.
func (g geometry) value(data []byte, r reach) uint32 {
	if r.block+1 < g.full() {
		return r.value(data[g.offset(r.block, g.wide()):])
	}
	return g.edgeValue(data, r)
}

// value returns the parities of all columns of two complete blocks.
func (r reach) value(blocks []byte) (value uint32) {
	next := blocks[8*r.columns:]
	for j := uint64(0); j < r.columns; j += 4 {
		value |= parities(blocks[8*j:], next[8*j:], r.lo, r.hi) << j
	}
	return value & r.mask()
}
