//go:build !amd64 || purego

package dense

// contains answers for a line, and overread bytes behind it, whether the key of
// hash h may be in it.
func contains(line []byte, h uint64) bool { return containsGeneric(line, h) }
