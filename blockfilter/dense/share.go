package dense

import "math/bits"

// addShare solves the column of the bits left, for the largest share of the keys
// for which it has a solution, and returns the share.
func (s *solver) addShare(window int, shape shape) int {
	at := headerBits + shape.slots*shape.columns
	slots := lineBits - at
	if slots == 0 || shape.slots > maxDense {
		return 0
	}
	s.band.Reset(slots)
	ends := s.sortByPart()
	start, share := 0, 0
	for share < shares-1 && s.insertPart(s.sorted[start:ends[share]], window, shape.columns, slots) {
		start = ends[share]
		share++
	}
	s.band.Solve(s.line[:], at, 1)
	return share
}

// sortByPart sorts the equations into s.sorted and returns where each part ends.
func (s *solver) sortByPart() (ends [shares]int) {
	s.sorted = append(s.sorted[:0], s.equations...)
	for _, e := range s.equations {
		ends[e.part()]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, e := range s.equations {
		part := e.part()
		s.sorted[ends[part]] = e
		ends[part]++
	}
	return ends
}

// insertPart adds the equations of a part's keys to the share's column. If they
// contradict each other or those before, it adds none and reports false.
func (s *solver) insertPart(equations []equation, window, column, slots int) bool {
	var lo, hi uint64 // the slots that they determine
	for _, e := range equations {
		slot, ok := s.band.Insert(0, firstOf(e.withWindow(window), slots), e.fingerprint()>>column&1)
		switch {
		case !ok:
			for ; lo != 0; lo &= lo - 1 {
				s.band.Remove(bits.TrailingZeros64(lo))
			}
			for ; hi != 0; hi &= hi - 1 {
				s.band.Remove(64 + bits.TrailingZeros64(hi))
			}
			return false
		case slot >= 64:
			hi |= 1 << (slot - 64)
		case slot >= 0:
			lo |= 1 << slot
		}
	}
	return true
}
