package planning

import (
	"fmt"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Page is the report of benchdb plan.
func (r *Result) Page() report.Page {
	s := r.Settings
	largest := "no limit"
	if s.MaxBlock > 0 {
		largest = report.Size(s.MaxBlock).Human()
	}
	p := report.Page{
		Title: "A level plan", Summary: r.summary(), Tables: r.tables(),
		Details: []report.Table{report.Facts("Settings",
			[2]any{"budget", report.Size(s.Budget)}, [2]any{"block cache", report.Size(s.CacheSize)}, [2]any{"largest block", largest},
			[2]any{"family", s.Family},
			[2]any{"store", live(r.Live)}, [2]any{"read with", s.Read}, [2]any{"present keys", fmt.Sprintf("%.4g %%", 100*s.Present)})},
	}
	p.Draw(r.curveChart())
	return p
}

// live is empty for a store that is not open elsewhere, which leaves out the
// row.
func live(live bool) string {
	if live {
		return liveNote
	}
	return ""
}

func (r *Result) summary() string {
	best := r.Plans[0]
	text := fmt.Sprintf("With %s of filters, %s is expected to waste %s reads per lookup of an absent key", report.Size(best.Bytes).Human(), best.Text, report.Figure(best.WastedAbsent))
	if len(r.Plans) > 1 {
		text += fmt.Sprintf(", where %s wastes %s", r.Plans[1].Name, report.Figure(r.Plans[1].WastedAbsent))
	}
	return text + "."
}

// Page is the report of benchdb inspect.
func (r *Inspection) Page() report.Page {
	p := report.Page{Title: "The filters of a store", Summary: "The store has no tables."}
	if len(r.Rows) == 0 {
		return p
	}
	p.Summary = fmt.Sprintf("The store's table filters take %s; a lookup of an absent key is expected to waste %s reads. %s",
		report.Size(r.Now.Bytes).Human(), report.Figure(r.Now.WastedAbsent), strings.Join(r.notes(), " "))
	p.Tables = r.tables()
	p.Details = []report.Table{report.Facts("Settings", [2]any{"read with", r.Read}, [2]any{"store", live(r.Live)}, [2]any{"shard of the block cache", report.Size(r.CacheShard).Human()})}
	return p
}
