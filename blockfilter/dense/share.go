package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// shareColumn is the system of the column of the bits left, whose last bit of a
// row is the value.
type shareColumn struct {
	rows   [maxDense]gf2.Row // in echelon form: the lowest coefficient is at its own slot
	sorted [maxDense]gf2.Row // of keys, by part
}

// valueBit is behind all slots of the column: there are fewer than of the others.
const valueBit = 127

// store solves the column of some slots for the largest share of the keys for
// which it has a solution. It stores the column behind the others, and returns
// the share.
func (s *shareColumn) store(line []byte, equations []equation, window int, shape shape) (share int) {
	at := headerBits + shape.slots*shape.columns
	slots := lineBits - at
	if slots == 0 || shape.slots > maxDense {
		return 0
	}
	clear(s.rows[:slots])
	ends := s.sort(equations, window, shape.columns, slots)
	start := 0
	for share < shares-1 && s.insert(s.sorted[start:ends[share]]) {
		start = ends[share]
		share++
	}
	column := s.solve(slots)
	gf2.Or(line, at, column.Lo)
	if slots > 64 {
		gf2.Or(line, at+64, column.Hi)
	}
	return share
}

// sort sorts the keys' rows in the column by part, and returns where each part
// ends.
func (s *shareColumn) sort(equations []equation, window, column, slots int) (ends [shares]int) {
	for _, e := range equations {
		ends[e.part()]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, e := range equations {
		row := firstOf(e.withWindow(window), slots)
		row.Hi |= uint64(e.fingerprint()>>column) << (valueBit - 64)
		part := e.part()
		s.sorted[ends[part]] = row
		ends[part]++
	}
	return ends
}

// insert adds the rows of a part's keys by on-the-fly elimination. If they
// contradict each other or those before, it adds none and reports false.
func (s *shareColumn) insert(rows []gf2.Row) bool {
	var lo, hi uint64 // the slots that they determine
	for _, row := range rows {
		for row.Lo|row.Hi<<1 != 0 {
			slot := uint(row.Lowest())
			have := s.rows[slot]
			if have.Lo|have.Hi == 0 {
				s.rows[slot] = row
				lo |= 1 << slot
				hi |= 1 << (slot - 64)
				row.Hi = 0
				break
			}
			row.Lo ^= have.Lo
			row.Hi ^= have.Hi
		}
		if row.Hi != 0 {
			s.remove(lo, hi)
			return false
		}
	}
	return true
}

// remove frees the slots of a part.
func (s *shareColumn) remove(lo, hi uint64) {
	for ; lo != 0; lo &= lo - 1 {
		s.rows[bits.TrailingZeros64(lo)] = gf2.Row{}
	}
	for ; hi != 0; hi &= hi - 1 {
		s.rows[64+bits.TrailingZeros64(hi)] = gf2.Row{}
	}
}

// solve returns the column, from the last slot to the first.
func (s *shareColumn) solve(slots int) (column gf2.Row) {
	for slot := uint(slots); slot > 0; {
		slot--
		row := s.rows[slot]
		sum := uint64(bits.OnesCount64(row.Lo&column.Lo^row.Hi&column.Hi)) ^ row.Hi>>(valueBit-64)
		column.Lo |= sum & 1 << slot
		column.Hi |= sum & 1 << (slot - 64)
	}
	return column
}
