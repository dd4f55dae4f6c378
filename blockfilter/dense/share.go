package dense

import "github.com/gravelkv/gravel/blockfilter/internal/gf2"

// addShare solves the column of the bits left, for the largest share of the keys
// for which it has a solution, and returns the share.
func (s *solver) addShare(hashes []uint64, window int, shape shape) int {
	at := headerBits + shape.slots*shape.columns
	if at == lineBits || shape.slots > maxDense {
		return 0
	}
	s.band.Reset(lineBits - at)
	ends := s.sortByPart(hashes, shape)
	start := 0
	for part, end := range ends[:shares-1] {
		if !s.insertPart(s.sorted[start:end], window, shape, lineBits-at) {
			s.band.Solve(s.line[:], at, 1)
			return part
		}
		start = end
	}
	s.band.Solve(s.line[:], at, 1)
	return shares - 1
}

// sortByPart sorts the hashes into s.sorted and returns where each part ends.
func (s *solver) sortByPart(hashes []uint64, shape shape) (ends [shares]int) {
	s.sorted = append(s.sorted[:0], hashes...)
	for _, h := range hashes {
		ends[equationOf(h, shape.slots).part()]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, h := range hashes {
		part := equationOf(h, shape.slots).part()
		s.sorted[ends[part]] = h
		ends[part]++
	}
	return ends
}

// insertPart adds the equations of a part's keys to the share's column. If they
// contradict each other or those before, it adds none and reports false.
func (s *solver) insertPart(hashes []uint64, window int, shape shape, slots int) bool {
	var determined [lineBits]int
	n := 0
	for _, h := range hashes {
		e := equationOf(h, shape.slots)
		slot, ok := s.band.Insert(0, firstOf(e.withWindow(window), slots), e.fingerprint()>>shape.columns&1)
		if !ok {
			for n > 0 {
				n--
				s.band.Remove(determined[n])
			}
			return false
		}
		if slot >= 0 {
			determined[n] = slot
			n++
		}
	}
	return true
}

// firstOf returns a row's coefficients of the first n slots.
func firstOf(r gf2.Row, n int) gf2.Row {
	if n < 64 {
		return gf2.Row{Lo: r.Lo & (1<<n - 1)}
	}
	return gf2.Row{Lo: r.Lo, Hi: r.Hi & (1<<(n-64) - 1)}
}
