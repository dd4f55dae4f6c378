package paper

import (
	"cmp"
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
		Details: []report.Table{r.Table([2]any{"figure", r.Settings.Figure}, [2]any{"trials", r.Settings.Trials}, [2]any{"seed", r.Settings.Seed})},
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
		p.Draw(t.values())
		p.Details = append(p.Details, t.table())
	}
	p.Tables = []report.Table{summary}
	papers := report.NewTable("Papers", 2, "paper", "where it is")
	for _, t := range r.Tables {
		if row := []string{t.Paper, links[t.Paper]}; !slices.ContainsFunc(papers.Rows, func(r []string) bool { return slices.Equal(r, row) }) {
			papers.Add(row...)
		}
	}
	p.Tables = append(p.Tables, papers)
	return p
}

// values draws the values of a figure over what the paper has them over.
func (t Table) values() chart.Chart {
	var axis abscissa
	for _, a := range abscissas {
		if strings.HasPrefix(t.Title, "Figure") && axis.of == nil && t.over(a) {
			axis = a
		}
	}
	if axis.of == nil {
		return chart.Chart{}
	}
	plot := chart.XY{X: chart.Axis{Label: axis.name, Log: axis.log}, Y: chart.Axis{Label: "value"}}
	published := chart.Series{Name: "published", Line: true, Dashed: true}
	low, high := math.Inf(1), 0.0
	for _, row := range t.measured() {
		s := plot.Of(row.Case)
		s.Shade, s.Line, s.Marks = chart.Shade(slices.Index(t.cases(), row.Case)%chart.Shades+1), true, true
		s.Points = append(s.Points, chart.Point{X: axis.of(row.Filter), Y: *row.Measured})
		low, high = min(low, *row.Measured), max(high, *row.Measured)
		if limit := row.Published.value(); limit != nil {
			published.Points = append(published.Points, chart.Point{X: axis.of(row.Filter), Y: *limit})
		}
	}
	if len(published.Points) > 0 {
		slices.SortFunc(published.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		published.Points = slices.Compact(published.Points)
		plot.Series = append(plot.Series, published)
	}
	plot.Y.Log = high > 20*low
	return chart.Chart{Title: t.Title, Text: t.Paper + ". Measured, a line for each case.", Figure: plot}
}

// abscissa is what a figure's values are drawn over.
type abscissa struct {
	name string
	of   func(f *Filter) float64
	log  bool
}

var abscissas = []abscissa{
	{"keys", func(f *Filter) float64 { return float64(f.Keys) }, true},
	{"probes", func(f *Filter) float64 { return float64(f.Probes) }, false},
}

// measured are the rows of filters that were asked.
func (t Table) measured() []Row {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return r.Measured == nil || r.Filter == nil })
}

// cases are those of the rows, in their order.
func (t Table) cases() (names []string) {
	for _, row := range t.measured() {
		if !slices.Contains(names, row.Case) {
			names = append(names, row.Case)
		}
	}
	return names
}

// over reports whether an abscissa tells the rows of each case apart.
func (t Table) over(a abscissa) bool {
	at := map[string][]float64{}
	for _, row := range t.measured() {
		if slices.Contains(at[row.Case], a.of(row.Filter)) {
			return false
		}
		at[row.Case] = append(at[row.Case], a.of(row.Filter))
	}
	return slices.ContainsFunc(t.cases(), func(name string) bool { return len(at[name]) > 1 })
}
