package resident

import "slices"

// keySample keeps some of a table's prefixes, evenly spread and the first among
// them, to ask its filter for.
type keySample struct {
	keys   [][]byte
	stride int // every how manyth key is kept
	until  int // keys to skip
}

// maxSample keys pass a filter of other keys, of 10 bits for each, with
// probability 10^-32 at half as many, the least of a table of so many keys.
const maxSample = 32

func (s *keySample) add(prefix []byte) {
	if s.until > 0 {
		s.until--
		return
	}
	if len(s.keys) == maxSample {
		s.thin()
	}
	s.keys = append(s.keys, slices.Clone(prefix))
	s.until = max(s.stride, 1) - 1
}

// thin drops every other key. The next one is kept, as the stride asks for.
func (s *keySample) thin() {
	for i := range maxSample / 2 {
		s.keys[i] = s.keys[2*i]
	}
	s.keys = s.keys[:maxSample/2]
	s.stride = 2 * max(s.stride, 1)
}
