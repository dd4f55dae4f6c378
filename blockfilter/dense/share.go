package dense

import (
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
)

// shareColumn solves the system of the share's column: the one that takes the
// bits of a line that are left, for a share of the keys. Bit 0 of a row is the
// key's value, and bit 1 + i its coefficient of slot i.
type shareColumn struct {
	sorted  [maxDense]gf2.Row // of keys, by part
	parts   [maxDense]uint8   // of those keys
	echelon [maxDense]gf2.Row // zero, or their highest bit is at their own place
	words   *gf2.Words        // for the time of store
}

// store solves the column for the largest share of the keys for which it has a
// solution. It stores the column after the others, and returns the share.
func (s *shareColumn) store(line []byte, equations []equation, window int, shape shape, words *gf2.Words) (share int) {
	s.words = words
	at := headerBits + shape.slots*shape.columns
	slots := lineBits - at
	if slots == 0 || shape.slots > maxDense {
		return 0
	}
	keys := s.sort(equations, window, shape.columns, slots)
	var column gf2.Row
	if max(slots+1, keys) <= gf2.WordSlots {
		column.Lo, share = s.solveWords(slots, keys)
	} else {
		column, share = s.solveRows(slots, keys)
	}
	gf2.Or(line, at, column.Lo)
	if slots > 64 {
		gf2.Or(line, at+64, column.Hi)
	}
	return share
}

// sort sorts the keys' rows in the column by part. It returns the number of
// keys whose part can be in a share.
func (s *shareColumn) sort(equations []equation, window, column, slots int) (keys int) {
	var starts [shares]int
	for _, e := range equations {
		starts[e.part()]++
	}
	sum := 0
	for i, n := range starts {
		starts[i] = sum
		sum += n
	}
	keys = starts[shares-1]
	for _, e := range equations {
		row := e.withWindow(window).First(uint(slots))
		row = gf2.Row{Lo: row.Lo<<1 | uint64(e.fingerprint()>>column&1), Hi: row.Hi<<1 | row.Lo>>63}
		part := e.part()
		i := starts[part]
		s.sorted[i], s.parts[i] = row, uint8(part)
		starts[part]++
	}
	return keys
}

// shareBefore returns the largest share without a key, and how many keys it
// has.
func (s *shareColumn) shareBefore(key int) (share, keys int) {
	for key > 0 && s.parts[key-1] == s.parts[key] {
		key--
	}
	return int(s.parts[key]), key
}

// solveRows solves the column for any number of slots and keys. Each equation
// determines the last slot that it can.
func (s *shareColumn) solveRows(slots, keys int) (column gf2.Row, share int) {
	share = shares - 1
	if failed := s.insert(slots, keys); failed < keys {
		share, keys = s.shareBefore(failed)
		s.insert(slots, keys)
	}
	column.Lo = 1 // selects values
	for i := 1; i <= slots; i++ {
		column = column.With(i, s.echelon[i].Dot(column))
	}
	return gf2.Row{Lo: column.Lo>>1 | column.Hi<<63, Hi: column.Hi >> 1}, share
}

// insert brings the first keys to echelon form. It returns the first one that
// contradicts those before, or their number.
func (s *shareColumn) insert(slots, keys int) (failed int) {
	clear(s.echelon[:slots+1])
next:
	for i, row := range s.sorted[:keys] {
		for top := row.Top(); top > 0; top = row.Top() {
			have := s.echelon[top]
			if have == (gf2.Row{}) {
				s.echelon[top] = row
				continue next
			}
			row = gf2.Row{Lo: row.Lo ^ have.Lo, Hi: row.Hi ^ have.Hi}
		}
		if row.Lo != 0 {
			return i
		}
	}
	return keys
}

// solveWords is solveRows for up to 63 slots and 64 keys. A pivot is the first
// key left, so each key that is none is the sum of keys before it, and the
// first whose value is not theirs contradicts them.
func (s *shareColumn) solveWords(slots, keys int) (column uint64, share int) {
	left := s.eliminate(slots, keys)
	share = shares - 1
	if failed := s.words.Slots[0] & left; failed != 0 {
		share, keys = s.shareBefore(bits.TrailingZeros64(failed))
		s.eliminate(slots, keys)
	}
	for i, key := range s.words.Pivots[1 : slots+1] {
		if key != gf2.NoPivot {
			column |= s.words.Slots[0] >> (key % gf2.WordSlots) & 1 << i
		}
	}
	return column, share
}

// eliminate brings the system of the first keys to reduced echelon form. Word 0
// has the keys' values, word 1 + i the coefficients of slot i.
func (s *shareColumn) eliminate(slots, keys int) (left uint64) {
	words := &s.words.Slots
	for i, row := range s.sorted[:keys] {
		words[i] = row.Lo
	}
	clear(words[keys:])
	gf2.Transpose(words, words)
	return s.words.Eliminate(1, slots, 0, 1<<keys-1)
}
