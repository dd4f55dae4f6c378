//go:build !purego

package ribbon

import (
	"slices"

	"golang.org/x/sys/cpu"
)

var (
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI2
	useAVX512 = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
)

// matches reports whether the columns of a complete block, which begins at a
// byte of data, and of the next one XOR to want.
func (r reach) matches(data []byte, at uint64, want uint32) bool {
	if useAVX2 {
		return matchesAVX2(&data[at], r.columns, r.lo, r.hi, want)
	}
	return r.matchesGeneric(data[at:], want)
}

// matchesAVX2 ignores the bits of want from columns on. It reads up to 24 bytes
// after the second block.
//
//go:noescape
func matchesAVX2(blocks *byte, columns uint64, lo, hi uint64, want uint32) bool

// insertAll inserts the equations that are left of a part, whose starts are
// after slot first. It reports false if they contradict each other or those
// before.
func (b *band) insertAll(p *part, first uint64) bool {
	if !useAVX512 {
		return b.insertAllGeneric(p, first)
	}
	reach := min(bucketSlots+width, uint64(len(b.rows))-first)
	for i := 0; i < len(p.left.rows); i += batch {
		n := min(batch, len(p.left.rows)-i)
		p.taken = slices.Grow(p.taken, n)
		have := len(p.taken)
		taken, ok := insertAVX512(&b.rows[first], &b.values[first], reach, first,
			&p.left.starts[i], &p.left.rows[i], &p.left.values[i], n, &p.taken[:have+1][have])
		p.taken = p.taken[:have+taken]
		if !ok {
			return false
		}
	}
	return true
}

// batch is the most equations that insertAVX512 takes.
const batch = 32

// insertAVX512 inserts n equations into the slots of a band whose first one is
// given: they may start up to bucketSlots after it and select none from reach
// on. It stores the slots that they take, and reports how many these are, and
// whether the equations do not contradict.
//
//go:noescape
func insertAVX512(rows *uint64, values *uint32, reach, first uint64,
	starts *uint32, rowsOf *uint64, valuesOf *uint32, n int, slots *uint64) (taken int, ok bool)

// solveBlock finds the slots from from on and before to in the columns of
// window, which has those of the 64 slots behind them. Window is the front of an
// array of maxColumns.
func (b *band) solveBlock(from, to uint64, window []uint64) {
	if !useAVX512 {
		b.solveBlockGeneric(from, to, window)
		return
	}
	all := (*[maxColumns]uint64)(window[:maxColumns])
	for column := 0; column < len(window); column += solvedColumns {
		solveAVX512(&b.rows[from], &b.values[from], to-from, uint64(column), &all[column])
	}
}

// solvedColumns is the number of columns that solveAVX512 finds, wanted or not.
const solvedColumns = 16

// numbers are those of the columns from the first one of a pass on.
var numbers = [solvedColumns]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

//go:noescape
func solveAVX512(rows *uint64, values *uint32, slots, column uint64, window *uint64)
