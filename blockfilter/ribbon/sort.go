package ribbon

import (
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

// sorter brings keys into the order in which a bumped layer inserts them, bucket
// by bucket. It keeps its buffers.
type sorter struct {
	sorted []uint64
	ends   []uint32 // of the buckets in sorted
}

// partition sorts keys by their bucket in l.
func (s *sorter) partition(l layer, hashes [][]uint64) {
	n := keyhash.Count(hashes)
	s.sorted = slices.Grow(s.sorted[:0], n)[:n]
	s.ends = append(s.ends[:0], make([]uint32, l.starts/bucketSlots)...)
	for _, chunk := range hashes {
		for _, h := range chunk {
			s.ends[l.start(h)/bucketSlots]++
		}
	}
	// Where a bucket starts; scattering moves that to where it ends.
	at := uint32(0)
	for i, n := range s.ends {
		s.ends[i], at = at, at+n
	}
	for _, chunk := range hashes {
		for _, h := range chunk {
			end := &s.ends[l.start(h)/bucketSlots]
			s.sorted[*end] = h
			*end++
		}
	}
}

// bucket returns a bucket's keys.
func (s *sorter) bucket(i uint64) []uint64 {
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.sorted[from:s.ends[i]]
}
