package paper

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// PrintHeader prints what is measured and where.
func (r *Result) PrintHeader(w io.Writer) {
	fmt.Fprintf(w, "%s trials where the papers have %s, seed %d\n%v\n",
		humanize.Comma(int64(r.Settings.Trials)), humanize.Comma(PublishedTrials), r.Settings.Seed, r.Environment)
}

// table has the rows, with a case named once.
func (t Table) table() report.Table {
	caption := t.Title
	if t.Note != "" {
		caption += "\n(" + t.Note + ")"
	}
	out := report.NewTable(caption, 2, "", "", "published", "predicted", "measured", "tolerance", "")
	last := ""
	for _, r := range t.Rows {
		cells := r.cells()
		if r.Case == last {
			cells[0] = ""
		}
		last = r.Case
		out.Add(cells...)
	}
	return out
}

// Print prints the table, below the name of its paper if that is not the one of
// the table before.
func (t Table) Print(w io.Writer, before string) {
	if len(t.Rows) > 0 && t.Paper != before {
		fmt.Fprintf(w, "\n\n%s\n%s\n", t.Paper, links[t.Paper])
	}
	t.table().Print(w)
}

func (r Row) cells() []string {
	tolerance := r.tolerance()
	cells := []string{r.Case, r.Point, "-", "-", "-", "±" + digits(tolerance, tolerance), "ok"}
	resolution := tolerance
	if r.Measured == nil {
		resolution *= 20 // from half a unit of the last printed digit to ten
	}
	for i, f := range []*Reference{r.Published, r.Predicted} {
		if f == nil {
			continue
		}
		cells[2+i] = digits(f.Value, resolution)
		if f.AtMost {
			cells[2+i] = "<" + strconv.FormatFloat(f.Value, 'g', 3, 64)
		}
	}
	if r.Measured != nil {
		cells[4] = digits(*r.Measured, tolerance)
	}
	if tolerance == 0 {
		cells[5] = "exact"
	}
	if !r.OK {
		cells[6] = "OFF"
	}
	return cells
}

// digits writes a value to the second digit of a tolerance.
func digits(value, tolerance float64) string {
	size := math.Abs(value)
	if size == 0 || tolerance == 0 {
		return strconv.FormatFloat(value, 'g', 5, 64)
	}
	last := math.Floor(math.Log10(tolerance)) - 1
	if size >= 1e-3 {
		return strconv.FormatFloat(value, 'f', int(min(max(-last, 0), 12)), 64)
	}
	first := math.Floor(math.Log10(size))
	return strconv.FormatFloat(value, 'e', int(min(max(first-last, 0), 12)), 64)
}

// PrintSummary prints how to read the tables, and the verdict.
func (r *Result) PrintSummary(w io.Writer) {
	fmt.Fprint(w, `

published   by the paper; the limit p in Figure 1
predicted   by the formulas, for filters of this size
tolerance   of measured about predicted, or published: right filters stay in it
            in all rows of a run, but for a chance below one in a million

`)
	for _, t := range r.Tables {
		for _, row := range t.off() {
			fmt.Fprintf(w, "OFF  %s: %s %s\n", t.Title, row.Case, row.Point)
		}
	}
	rows, off := r.Count()
	verdict := "all within tolerance"
	if off > 0 {
		verdict = fmt.Sprintf("%d outside tolerance", off)
	}
	if r.Interrupted {
		verdict += " until the interruption"
	}
	fmt.Fprintf(w, "%d rows, %s\n", rows, verdict)
}

// Count returns the number of rows, and of those outside their tolerance.
func (r *Result) Count() (rows, off int) {
	for _, t := range r.Tables {
		rows += len(t.Rows)
		off += len(t.off())
	}
	return rows, off
}

// Verdict is an error unless all rows are within their tolerance.
func (r *Result) Verdict() error {
	if rows, off := r.Count(); off > 0 {
		return fmt.Errorf("outside tolerance: %d of %d rows", off, rows)
	}
	return nil
}

// off are the rows outside their tolerance.
func (t Table) off() []Row {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.OK })
}
