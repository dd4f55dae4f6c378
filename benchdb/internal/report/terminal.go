package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// width is what a terminal shows without wrapping.
const width = 80

// maxName is the usual width of a row's name, beyond which it wraps.
const maxName = 15

// TextTable is a table without borders for a terminal.
type TextTable struct{ table.Writer }

// Row is the cells of one row.
type Row = table.Row

// NewTable returns a table with the names in the first column aligned left and
// all other columns right.
func NewTable(columns ...any) TextTable { return Layout{1, maxName}.NewTable(columns...) }

// NewNamedTable is NewTable with names in so many first columns.
func NewNamedTable(names int, columns ...any) TextTable {
	return Layout{names, maxName}.NewTable(columns...)
}

// Layout is how a table has its names.
type Layout struct {
	// Names is the number of first columns that hold names.
	Names int
	// Width is that of the first column, beyond which names wrap.
	Width int
}

// NewTable returns a table with the names aligned left, all other columns
// right.
func (l Layout) NewTable(columns ...any) TextTable {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SetAllowedRowLength(width + len(style.Box.PaddingRight)) // the last is cut off
	t.SuppressTrailingSpaces()
	t.AppendHeader(columns)
	configs := make([]table.ColumnConfig, len(columns))
	for i := range columns {
		configs[i].Number = i + 1
		if i >= l.Names {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	configs[0].WidthMax, configs[0].WidthMaxEnforcer = l.Width, text.WrapHard
	t.SetColumnConfigs(configs)
	return TextTable{t}
}

// Print writes the table. Its rule ends with the figures; that of
// table.Writer.Render goes on below the padding of the last column.
func (t TextTable) Print(w io.Writer) {
	for line := range strings.SplitSeq(t.Render(), "\n") {
		if strings.Trim(line, "─") == "" {
			line = strings.TrimSuffix(line, "──")
		}
		fmt.Fprintln(w, line)
	}
}

// isTerminal reports whether a person sees what is written to w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Coloured reports whether to write colours to w: it is a terminal that has
// them, and NO_COLOR (no-color.org) is unset or empty.
func Coloured(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Progress shows how far a job is, if its writer is a terminal. Its methods
// must not be called concurrently.
type Progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar
}

// NewProgress returns a Progress that shows nothing yet.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w} }

// Start begins a part of the job with a number of steps.
func (p *Progress) Start(name string, steps int) {
	if !isTerminal(p.w) {
		return
	}
	p.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// Add tells of steps done.
func (p *Progress) Add(steps int) {
	if p.bar != nil {
		_ = p.bar.Add(steps) // a terminal that cannot be written is no reason to stop
	}
}

// Close clears what is shown.
func (p *Progress) Close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
