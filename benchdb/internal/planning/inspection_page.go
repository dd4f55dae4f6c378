package planning

import (
	"fmt"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// InspectionPage is the report of benchdb inspect.
func InspectionPage(r Inspection) report.Page {
	p := report.Page{Title: "The filters of a store", Summary: "The store has no tables.", Data: r, Name: "benchdb-inspect.json"}
	if len(r.Rows) == 0 {
		return p
	}
	p.Summary = fmt.Sprintf("The store's table filters take %s; a lookup of an absent key is expected to waste %s reads.",
		report.Size(r.Now.Bytes).Human(), report.Figure(r.Now.WastedAbsent))
	p.Summary = strings.Join(append([]string{p.Summary}, r.notes()...), " ")
	families := report.Table{Caption: "Table filters", Names: 2, Grid: chart.Grid{Header: rowHeader}}
	for _, row := range r.Rows {
		families.Rows = append(families.Rows, rowFigures(row))
	}
	p.Tables = []report.Table{families}
	if len(r.Index) > 0 {
		index := report.Table{Caption: "Filters of data blocks, in the index", Names: 1, Grid: chart.Grid{Header: indexHeader}}
		for _, row := range r.Index {
			index.Rows = append(index.Rows, indexFigures(row))
		}
		p.Tables = append(p.Tables, index)
	}
	plans := []Plan{r.Now}
	if r.Planned != nil {
		plans = append(plans, *r.Planned)
		p.Tables = append(p.Tables, planTable(plans))
	}
	p.Charts = []chart.Chart{wastedByLevel(plans)}
	p.Environment = []report.Table{report.Facts("Settings", [2]any{"read with", r.Read}, [2]any{"store", live(r.Live)}, [2]any{"shard of the block cache", report.Size(r.CacheShard).Human()})}
	return p
}
