package planning

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Page is the report of benchdb plan.
func Page(r Result) report.Page {
	s := r.Settings
	largest := "no limit"
	if s.MaxBlock > 0 {
		largest = report.Size(int64(s.MaxBlock)).Human()
	}
	p := report.Page{
		Title:   "A level plan",
		Summary: planSummary(r.Plans),
		Tables:  []report.Table{planTable(r.Plans), optionTable(r)},
		Charts: []chart.Chart{
			byPlanLevel(r.Plans, "Bits by level", "bits per key", "Bits per key of each level's filters, for plans of the same memory.",
				func(l Level) float64 { return 8 * float64(l.Bytes) / float64(max(l.Keys, 1)) }),
			wastedByLevel(r.Plans),
		},
		Environment: []report.Table{report.Facts("Settings",
			[2]any{"budget", report.Size(s.Budget)}, [2]any{"block cache", report.Size(s.CacheSize)}, [2]any{"largest block", largest},
			[2]any{"families", s.Upper + " above, " + s.Lower + " below"},
			[2]any{"store", live(r.Live)}, [2]any{"read with", s.Read}, [2]any{"present keys", fmt.Sprintf("%.4g %%", 100*s.Present)}), planShape(r)},
		Data: r,
		Name: "benchdb-plan.json",
	}
	return p
}

// live is empty for a store that is not open elsewhere, which leaves out the
// row.
func live(live bool) string {
	if live {
		return LiveNote
	}
	return ""
}

func planSummary(plans []Plan) string {
	best := plans[0]
	text := fmt.Sprintf("With %s of filters, %s is expected to waste %s reads per lookup of an absent key", report.Size(best.Bytes).Human(), best.Text, report.Figure(best.WastedAbsent))
	if len(plans) > 1 {
		text += fmt.Sprintf(", where %s wastes %s", plans[1].Name, report.Figure(plans[1].WastedAbsent))
	}
	return text + "."
}

func planTable(plans []Plan) report.Table {
	t := report.Table{Caption: "Plans", Names: 1}
	t.Header = []string{"plan", "memory", "wasted reads, absent key", "wasted reads, present key"}
	for _, p := range plans {
		t.Rows = append(t.Rows, []string{p.Name, report.Size(p.Bytes).Human(), report.Figure(p.WastedAbsent), report.Figure(p.WastedPresent)})
	}
	return t
}

func planShape(r Result) report.Table {
	t := report.Table{Caption: "Levels of the store and their filters in this plan", Names: 2}
	t.Header = []string{"level", "policy", "keys", "filters"}
	for _, l := range r.Plans[0].Levels {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("L%d", l.Level), l.Policy, humanize.Comma(l.Keys), report.Size(l.Bytes).Human()})
	}
	return t
}

func wastedByLevel(plans []Plan) chart.Chart {
	return byPlanLevel(plans, "Expected reads by level", "wasted reads per lookup", "Data blocks that a lookup of an absent key is expected to read in vain, by level. Lower is better.",
		func(l Level) float64 { return l.WastedAbsent })
}

// byPlanLevel compares plans on each level. All have the levels of one store.
func byPlanLevel(plans []Plan, title, values, text string, of func(Level) float64) chart.Chart {
	bars := chart.Bars{Categories: "level", Values: values}
	for _, l := range plans[0].Levels {
		bars.Names = append(bars.Names, fmt.Sprintf("L%d", l.Level))
	}
	for i, p := range plans {
		s := chart.BarSeries{Name: p.Name, Shade: chart.Shade(1 + i%chart.Shades)}
		for _, l := range p.Levels {
			s.Values = append(s.Values, of(l))
		}
		bars.Series = append(bars.Series, s)
	}
	return chart.Chart{Title: title, Text: text, Figure: bars}
}
