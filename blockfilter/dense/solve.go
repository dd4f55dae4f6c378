package dense

import "github.com/gravelkv/gravel/blockfilter/internal/gf2"

// solver builds one line after another.
type solver struct {
	dense     denseSystem // first, to begin at a cache line
	equations []equation
	band      gf2.Band // of lines of many keys
	share     shareColumn
	line      [lineSize + gf2.Pad]byte
}

// solve returns the line of keys with these hashes, valid until the next call.
// The line does not depend on the order of the keys.
//
// It takes the first code and the first window with which the keys' system has
// a solution, then the largest share.
func (s *solver) solve(hashes []uint64) []byte {
	clear(s.line[:])
	line := s.line[:lineSize]
	if len(hashes) == 0 {
		emptyLine.put(line)
		return line
	}
	for code := firstCode(len(hashes)); code < codes; code++ {
		s.setEquations(hashes, shapes[code].slots)
		if window, ok := s.solveCode(shapes[code]); ok {
			share := s.share.store(s.line[:], s.equations, window, shapes[code], &s.dense.words)
			headerOf(code, window, share).put(line)
			return line
		}
	}
	fullLine.put(line)
	return line
}

// firstCode returns the first code to try for n keys, codes for too many.
func firstCode(n int) int {
	if n <= maxDense {
		return max(n, room/maxColumns) // more columns would be of no use
	}
	code := maxDense + 1
	for code < codes && n > mostInBand(shapes[code].slots) {
		code++
	}
	return code
}

// mostInBand returns the most keys for which a line of m slots is tried if its
// rows select from fewer than m. One of the 16 windows then nearly always does.
func mostInBand(m int) int { return m - 2 - m/64 }

func (s *solver) setEquations(hashes []uint64, slots int) {
	s.equations = s.equations[:0]
	for _, h := range hashes {
		s.equations = append(s.equations, equationOf(h, slots))
	}
}

func (s *solver) solveCode(shape shape) (window int, ok bool) {
	if shape.slots <= maxDense {
		return s.dense.solve(s.line[:], s.equations, shape)
	}
	for window := range windows {
		if s.insertBand(window, shape) {
			s.band.Solve(s.line[:], headerBits, shape.columns)
			return window, true
		}
	}
	return 0, false
}

// insertBand makes the system of all keys for a window. It reports false if
// their equations contradict each other.
func (s *solver) insertBand(window int, shape shape) bool {
	s.band.Reset(shape.slots)
	mask := uint32(1)<<shape.columns - 1
	for _, e := range s.equations {
		if !s.band.Insert(e.slot(shape.slots), e.withWindow(window), e.fingerprint()&mask) {
			return false
		}
	}
	return true
}
