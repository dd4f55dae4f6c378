package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchmath"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Print prints a table for each metric. Regressions beyond the threshold are
// marked.
func Print(w io.Writer, rows []Row, threshold float64) {
	colours := report.Coloured(w)
	var tables []report.Table
	for _, r := range rows {
		i := slices.IndexFunc(tables, func(t report.Table) bool { return t.Header[0] == r.Metric })
		if i < 0 {
			i = len(tables)
			tables = append(tables, report.NewTable("", 1, r.Metric, "old", "new", "change", "p", ""))
		}
		tables[i].Add(r.cells(threshold, colours)...)
	}
	for _, t := range tables {
		t.Print(w)
	}
}

func (r Row) cells(threshold float64, colours bool) []string {
	change, p, verdict := "~", probability(r.Comparison), ""
	if r.Unlike {
		change, p = "n/a", "n/a"
	}
	if r.Significant() {
		change = percent(r.Change)
		verdict = "better"
		if r.Change > 0 {
			verdict = "worse"
		}
		if r.Worse(threshold) {
			verdict = "WORSE"
		}
	}
	if colours {
		verdict = map[string]text.Color{"better": text.FgGreen, "worse": text.FgYellow, "WORSE": text.FgRed}[verdict].Sprint(verdict)
	}
	return []string{r.Of, summary(r.Old), summary(r.New), change, p, verdict}
}

func percent(change float64) string {
	if math.IsInf(change, 0) {
		return "+∞"
	}
	return fmt.Sprintf("%+.1f%%", 100*change)
}

// summary writes a median and its confidence interval as benchstat does, where
// there is one.
func summary(s benchmath.Summary) string {
	text := strconv.FormatFloat(s.Center, 'g', 4, 64)
	if s.Center >= 1000 {
		text = strconv.FormatFloat(s.Center, 'f', 0, 64)
	}
	if s.Lo == s.Hi || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || s.Center == 0 {
		return text
	}
	return fmt.Sprintf("%s ±%.0f%%", text, 100*min(max(s.Hi/s.Center-1, 1-s.Lo/s.Center), maxInterval))
}

// maxInterval keeps an interval that tells nothing from breaking the table.
const maxInterval = 9.99

// probability writes how likely such a difference is by chance; that of exact
// counts is not by chance.
func probability(c benchmath.Comparison) string {
	if c.P == 0 {
		return "exact"
	}
	return fmt.Sprintf("%.3f", c.P)
}
