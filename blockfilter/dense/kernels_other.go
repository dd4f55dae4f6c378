//go:build !amd64 || purego

package dense

import "github.com/gravelkv/gravel/blockfilter/internal/trailer"

// LinesMayContain is MayContain for a body in the layout of lines.
func LinesMayContain(lines []byte, v *trailer.View, h uint64) bool { return linesGeneric(lines, v, h) }
