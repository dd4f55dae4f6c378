package line

func addGeneric(lines []byte, hashes []uint64, k int) {
	for _, h := range hashes {
		l := at(lines, h)
		p := groupOf(h, 0)
		for range k {
			l[p.x>>26] |= 1 << (p.x >> 23 & 7)
			p = p.next()
		}
	}
}
