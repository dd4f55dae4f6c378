package paper

import (
	"fmt"
	"slices"

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
