package pointread

import "slices"

// sample are keys that were looked up of late.
type sample struct {
	keys [31][]byte
	n    int // that were added
}

func (s *sample) add(key []byte) {
	at := &s.keys[s.n%len(s.keys)]
	*at = append((*at)[:0], key...)
	s.n++
}

// middle returns a key that half of the others are beyond, nil if there is none.
func (s *sample) middle(compare func(a, b []byte) int) *[]byte {
	keys := slices.Clone(s.keys[:min(s.n, len(s.keys))])
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, compare)
	middle := slices.Clone(keys[len(keys)/2])
	return &middle
}
