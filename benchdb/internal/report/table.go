package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
)

// Table is figures with a caption, for a terminal and for a page.
type Table struct {
	Caption string
	// Grid has the cells. Those of its header may have two lines: the name of a
	// column and the unit.
	chart.Grid
	// Names is the number of first columns that hold names; others hold figures.
	Names int
}

// NewTable returns a table without rows.
func NewTable(caption string, names int, header ...string) Table {
	return Table{Caption: caption, Names: names, Grid: chart.Grid{Header: header}}
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Facts is a table of names and values, without those that are empty.
func Facts(caption string, rows ...[2]any) Table {
	t := NewTable(caption, 2)
	for _, r := range rows {
		if value := fmt.Sprint(r[1]); value != "" {
			t.Add(fmt.Sprint(r[0]), value)
		}
	}
	return t
}

// The layout of a terminal.
const (
	width = 80 // what it shows without wrapping
	gap   = 2  // between columns
)

// Print writes the table for a terminal, below an empty line, or nothing if it
// has no rows. A row takes one line: a name that leaves too little room for the
// figures is cut, and stands below the table in full.
func (t Table) Print(w io.Writer) {
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintln(w)
	if t.Caption != "" {
		fmt.Fprintln(w, Wrap(t.Caption))
	}
	lines := t.header()
	heads := len(lines)
	rows, notes := t.fit(lines)
	lines = append(lines, rows...)
	widths := columnWidths(lines)
	for i, cells := range lines {
		if i == heads && heads > 0 {
			fmt.Fprintln(w, strings.Repeat("─", total(widths)))
		}
		fmt.Fprintln(w, t.line(cells, widths))
	}
	for i, name := range notes {
		fmt.Fprintln(w, text.WrapHard(note(i)+" "+name, width))
	}
}

// Wrap breaks a text into lines of a terminal.
func Wrap(words string) string {
	lines := strings.Split(text.WrapSoft(words, width), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// header returns the lines of the header, none if it is empty.
func (t Table) header() (lines [][]string) {
	for i, head := range t.Header {
		for j, line := range strings.Split(head, "\n") {
			if j == len(lines) {
				lines = append(lines, make([]string, len(t.Header)))
			}
			lines[j][i] = line
		}
	}
	return lines
}

// fit returns the rows with names that fit beside the figures and the header,
// and the names that it cut.
func (t Table) fit(header [][]string) (rows [][]string, cut []string) {
	widths := columnWidths(slices.Concat(header, t.Rows))
	room := max(width-(total(widths)-widths[0]), text.StringWidth("L0-L5=…[1]"))
	for _, row := range t.Rows {
		if name := row[0]; t.Names > 0 && text.StringWidth(name) > room {
			n := slices.Index(cut, name)
			if n < 0 {
				n, cut = len(cut), append(cut, name)
			}
			row = slices.Clone(row)
			row[0] = text.Trim(name, room-text.StringWidth("…"+note(n))) + "…" + note(n)
		}
		rows = append(rows, row)
	}
	return rows, cut
}

func note(i int) string { return fmt.Sprintf("[%d]", i+1) }

func columnWidths(lines [][]string) []int {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], text.StringWidth(cell))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// line aligns names left and figures right.
func (t Table) line(cells []string, widths []int) string {
	aligned := make([]string, len(cells))
	for i, cell := range cells {
		align := text.AlignRight
		if i < t.Names {
			align = text.AlignLeft
		}
		aligned[i] = align.Apply(cell, widths[i])
	}
	return strings.TrimRight(strings.Join(aligned, strings.Repeat(" ", gap)), " ")
}
