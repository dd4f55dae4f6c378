//go:build !amd64 || purego

package dense

// LinesMayContain is MayContain for a block in the layout of lines: its body and
// the trailer.
func LinesMayContain(block []byte, h uint64) bool { return linesGeneric(block, h) }
