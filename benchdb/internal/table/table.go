// Package table lays out figures for a terminal.
package table

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Width is what a terminal shows without wrapping.
const Width = 80

// maxName is the width of a row's name, beyond which they wrap.
const maxName = 15

// Writer is a table to fill in and render.
type Writer = table.Writer

// Row is the cells of one row.
type Row = table.Row

// New returns a table without borders, with the names in the first column
// aligned left and all other columns right.
func New(columns ...any) Writer { return Layout{1, maxName}.New(columns...) }

// NewNamed is New with names in so many first columns.
func NewNamed(names int, columns ...any) Writer { return Layout{names, maxName}.New(columns...) }

// Layout is how a table has its names.
type Layout struct {
	// Names is the number of first columns that hold names.
	Names int
	// Width is that of the first column, beyond which names wrap.
	Width int
}

// New returns a table without borders. Names are aligned left, all other
// columns right.
func (l Layout) New(columns ...any) Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SetAllowedRowLength(Width + len(style.Box.PaddingRight)) // the last is cut off
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
	return t
}

// Render returns the table's text. Its rule ends with the figures; that of
// Writer.Render goes on below the padding of the last column.
func Render(t Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, line := range lines {
		if strings.Trim(line, "─") == "" {
			lines[i] = strings.TrimSuffix(line, "──")
		}
	}
	return strings.Join(lines, "\n")
}
