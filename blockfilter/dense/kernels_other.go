//go:build !amd64 || purego

package dense

// MayContain answers for a block of a dense filter whether the key of hash h
// may be in it. It answers true for a block whose trailer does not fit it.
func MayContain(block []byte, h uint64) bool { return mayContainGeneric(block, h) }
