package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Page is the report of benchdb paper.
func (r *Result) Page() report.Page {
	rows, off := r.Count()
	p := report.Page{
		Title:   "The papers' experiments, repeated",
		Summary: fmt.Sprintf("Of %d values, all are within their tolerance.", rows),
		Details: []report.Table{r.Table([2]any{"trials", r.Settings.Trials}, [2]any{"seed", r.Settings.Seed})},
	}
	if off > 0 {
		p.Summary = fmt.Sprintf("Of %d values, %d are outside their tolerance.", rows, off)
	}
	if r.Interrupted {
		p.Summary += " The run was interrupted."
	}
	summary := report.NewTable("Tables and figures", 2, "table or figure", "paper", "values", "outside tolerance")
	for _, t := range r.Tables {
		summary.Add(t.Title, t.Paper, fmt.Sprint(len(t.Rows)), fmt.Sprint(len(t.off())))
		p.Draw(t.values(), t.curves())
		p.Details = append(p.Details, t.table())
	}
	p.Tables = []report.Table{summary}
	return p
}

// values puts published points over those that were measured and predicted.
func (t Table) values() chart.Chart {
	// The values of a figure are points of a curve, those of a table are not.
	all := []chart.Series{
		{Name: "measured", Shade: 1, Line: strings.HasPrefix(t.Title, "Figure"), Marks: true},
		{Name: "predicted", Shade: 3, Marks: true},
		{Name: "published", Shade: 2, Marks: true},
	}
	x := chart.Axis{Label: "value, in the order of the table", Names: map[float64]string{}}
	low, high := math.Inf(1), 0.0
	for i, row := range t.Rows {
		at := float64(i + 1)
		x.Names[at] = row.Case
		for i, value := range []*float64{row.Measured, row.Predicted.value(), row.Published.value()} {
			if value == nil {
				continue
			}
			all[i].Points = append(all[i].Points, chart.Point{X: at, Y: *value})
			if *value > 0 {
				low, high = min(low, *value), max(high, *value)
			}
		}
	}
	return chart.Chart{
		Title: t.Title, Text: t.Paper + ". Marks on each other agree; the figures name each value.",
		Figure: chart.XY{
			X: x, Y: chart.Axis{Label: "value", Log: high > 100*low},
			Series: slices.DeleteFunc(all, func(s chart.Series) bool { return len(s.Points) == 0 }),
		},
	}
}

// mostCurves is how many curves a chart can tell apart.
const mostCurves = 8

// curves draws those of a figure, some of them if there are many.
func (t Table) curves() chart.Chart {
	step := (len(t.Series) + mostCurves - 1) / mostCurves
	plot := chart.XY{X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y"}}
	for i := 0; i < len(t.Series); i += max(step, 1) {
		s := t.Series[i]
		curve := chart.Series{Name: s.Name, Shade: chart.Shade(1 + len(plot.Series)%chart.Shades), Line: true}
		for j := range s.X {
			curve.Points = append(curve.Points, chart.Point{X: s.X[j], Y: s.Y[j]})
		}
		plot.Series = append(plot.Series, curve)
	}
	text := t.Paper + "."
	if step > 1 {
		text += fmt.Sprintf(" %d of %d curves; the download has all.", len(plot.Series), len(t.Series))
	}
	return chart.Chart{Title: t.Title + ", curves", Text: text, Figure: plot}
}
