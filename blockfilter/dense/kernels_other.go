//go:build !amd64 || purego

package dense

// LinesMayContain is MayContain for the layout of lines.
func LinesMayContain(lines []byte, end *[32]byte, h uint64) bool { return linesGeneric(lines, end, h) }
