package line

// AddAll sets the k probes of the first group of every hash in its line.
func AddAll(lines []byte, hashes [][]uint64, k int) {
	for _, chunk := range hashes {
		add(lines, chunk, k)
	}
}

func addGeneric(lines []byte, hashes []uint64, k int) {
	for _, h := range hashes {
		l := at(lines, h)
		p := Group(h, 0)
		for range k {
			l[p.x>>26] |= 1 << (p.x >> 23 & 7)
			p = p.Next()
		}
	}
}
