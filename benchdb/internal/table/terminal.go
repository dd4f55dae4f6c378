package table

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether a person sees what is written to w.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Coloured reports whether to write colours to w: it is a terminal that has
// them, and NO_COLOR (no-color.org) is unset or empty.
func Coloured(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
