//go:build !amd64 || purego

package ribbon

// What these do is said in kernels_amd64.go.

func (r reach) matches(data []byte, at uint64, want uint32) bool {
	return r.matchesGeneric(data[at:], want)
}

func (b *band) insertAll(p *part, first uint64) bool { return b.insertAllGeneric(p, first) }

func (b *band) solveBlock(from, to uint64, window []uint64) { b.solveBlockGeneric(from, to, window) }
