//go:build !amd64 || purego

package dense

// solve stores the columns of the solution in line and returns their window. It
// reports false if there is none.
func (d *denseSystem) solve(line []byte, equations []equation, shape shape) (window int, ok bool) {
	return d.solveGeneric(line, equations, shape)
}

// LinesMayContain is MayContain for the layout of lines.
func LinesMayContain(lines []byte, end *[32]byte, h uint64) bool { return linesGeneric(lines, end, h) }
