//go:build !amd64 || purego

package ribbon

// matches reports whether the columns of a complete block and the next one,
// both from blocks on, XOR to want.
func (r reach) matches(blocks []byte, want uint32) bool { return r.matchesGeneric(blocks, want) }
