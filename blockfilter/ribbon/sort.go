package ribbon

// sorter brings keys into the order in which a bumped layer inserts them:
// bucket by bucket and, within a bucket, from the last start slot to the
// first. It keeps its buffers.
type sorter struct {
	sorted keys
	ends   []uint32 // of the buckets in sorted
}

// partition sorts the keys of all chunks by their bucket in l.
func (s *sorter) partition(l layer, chunks []keys) {
	s.sorted.resize(count(chunks), chunks[0])
	s.ends = append(s.ends[:0], make([]uint32, l.starts/bucketSlots)...)
	for _, c := range chunks {
		for _, h := range c.hashes {
			s.ends[l.start(h)/bucketSlots]++
		}
	}
	// Where a bucket starts; scattering moves that to where it ends.
	at := uint32(0)
	for i, n := range s.ends {
		s.ends[i], at = at, at+n
	}
	for _, c := range chunks {
		for i, h := range c.hashes {
			end := &s.ends[l.start(h)/bucketSlots]
			s.sorted.set(int(*end), c, i)
			*end++
		}
	}
}

// bucket returns a bucket's keys.
func (s *sorter) bucket(i uint64) keys {
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.sorted.slice(int(from), int(s.ends[i]))
}

// descend copies a bucket's keys to dst by falling start slot.
func descend(dst *keys, l layer, bucket keys) {
	dst.resize(bucket.len(), bucket)
	var to [bucketSlots]uint32
	for _, h := range bucket.hashes {
		to[l.start(h)%bucketSlots]++
	}
	at := uint32(0)
	for p := bucketSlots - 1; p >= 0; p-- {
		to[p], at = at, at+to[p]
	}
	for i, h := range bucket.hashes {
		p := l.start(h) % bucketSlots
		dst.set(int(to[p]), bucket, i)
		to[p]++
	}
}
