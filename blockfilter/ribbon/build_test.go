package ribbon

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// sizes are filtertest.Sizes and those at which layers come and go.
var sizes = append([]int{9, 16, 17, 127, 129, 599, 600, 601, 700, 5000, 14_000, 16_000}, filtertest.Sizes...)

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
		"multiples of row": func(i uint64) uint64 { return i << 1 * inverse(keyhash.R) },
	} {
		t.Run(name, func(t *testing.T) {
			hashes := [][]uint64{make([]uint64, n)}
			for i := range hashes[0] {
				hashes[0][i] = hash(uint64(i))
			}
			block := build(Config{BitsPerKey: 8}, hashes)
			v, _ := trailer.Parse(block)
			require.Equal(t, trailer.Ribbon, v.Family())
			filtertest.NoFalseNegatives(t, filtertest.Asker(block, MayContain), hashes)
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

// TestBumps compares which keys are bumped with what the rule says, key by key:
// a code is the least with which a bucket's other keys, and all that were not
// bumped before, have a solution.
func TestBumps(t *testing.T) {
	for stream, hashes := range [][][]uint64{
		filtertest.Hashes(600, 23), filtertest.Hashes(3000, 23), filtertest.Hashes(20_000, 23),
		crowded(3000, 1), crowded(3000, 4), crowded(3000, 64), crowded(3000, 1000),
	} {
		l := layer{starts: uint64(keyhash.Count(hashes)) * 22 / 23 / bucketSlots * bucketSlots}
		var b builder
		bumped := slices.Clone(b.addBumped(l, hashes))

		var want []uint64
		var accepted band
		accepted.resize(l.starts + width)
		for i := range l.starts / bucketSlots {
			keys := b.sorter.bucket(i)
			code := byte(0)
			for !fits(accepted, l, keys, code) {
				code++
			}
			require.Equal(t, code, b.codes[i], "stream %d, bucket %d", stream, i)
			for _, h := range keys {
				if e := l.equation(h); e.slot%bucketSlots < threshold(code) {
					want = append(want, h)
				} else {
					accepted.insert(&e)
				}
			}
		}
		require.Equal(t, want, bumped)
		var got, all [maxColumns]uint64
		for i := range b.rows {
			require.Equal(t, accepted.rows[i] == 0, b.rows[i] == 0, "the same slots are determined")
		}
		b.solveBlock(0, l.starts+width, got[:])
		accepted.solveBlockGeneric(0, l.starts+width, all[:])
		require.Equal(t, all, got)
	}
}

// fits reports whether a copy of the band has room for the keys that a code
// does not bump.
func fits(b band, l layer, keys []uint64, code byte) bool {
	b.rows, b.values = slices.Clone(b.rows), slices.Clone(b.values)
	for _, h := range keys {
		if e := l.equation(h); e.slot%bucketSlots >= threshold(code) {
			if b.insert(&e); e.contradicts() {
				return false
			}
		}
	}
	return true
}

// crowded returns the hashes of n keys, of which most start at few slots.
func crowded(n, slots int) [][]uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(slots)))
	hashes := slices.Concat(filtertest.Hashes(n, uint64(slots))...)
	for i := range hashes {
		if i%4 > 0 {
			hashes[i] = hashes[i]>>16 | uint64(rng.IntN(slots))<<53
		}
	}
	return [][]uint64{hashes}
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
		data := make([]byte, g.size()+trailer.Size)
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
