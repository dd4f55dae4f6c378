package pointread

import "slices"

// sample are keys that were looked up of late.
type sample struct {
	keys [127][]byte
	n    int // that were added
}

func (s *sample) add(key []byte) {
	at := &s.keys[s.n%len(s.keys)]
	*at = append((*at)[:0], key...)
	s.n++
}

// sorted returns a copy of the keys, in order.
func (s *sample) sorted(compare func(a, b []byte) int) [][]byte {
	var keys [][]byte
	for _, key := range s.keys[:min(s.n, len(s.keys))] {
		keys = append(keys, slices.Clone(key))
	}
	slices.SortFunc(keys, compare)
	return keys
}
