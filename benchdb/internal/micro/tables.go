package micro

import (
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// PrintHeader prints what is measured and where.
func (r *Result) PrintHeader(w io.Writer) {
	fmt.Fprintf(w, "Filters alone, medians of %s rounds, seed %d\n%v\n",
		humanize.Comma(int64(r.Settings.Rounds)), r.Settings.Seed, r.Environment)
}

// Table has sizes, rates and the cost of building.
func (b Builds) Table() report.Table {
	t := report.NewTable(fmt.Sprintf("%s of %d bytes: size, false-positive rate and building", report.Plural(b.Keys, "key"), b.KeySize), 1,
		"policy", "bits\n/key", "FPR\n%", "±\n%", "bound\n%", "build\nns/key", "±\n%", "ratio", "peak\nB/key")
	for _, r := range b.Rows {
		interval, build, spread, ratio, peak := "-", "-", "-", "-", "-"
		if r.Time != nil {
			interval = fmt.Sprintf("%.2g", 100*max(r.FPR.High-r.FPR.Rate, r.FPR.Rate-r.FPR.Low))
			build, spread, ratio = digits(r.Time.NS), r.Time.spread(), r.Time.ratio()
		}
		if r.PeakBytesPerKey != nil {
			peak = fmt.Sprintf("%.1f", *r.PeakBytesPerKey)
		}
		t.Add(r.Policy, fmt.Sprintf("%.2f", r.BitsPerKey), report.Figure(100*r.FPR.Rate), interval, report.Figure(100*r.LowerBound),
			build, spread, ratio, peak)
	}
	return t
}

// Tables have the times of MayContain, on one core and on all.
func (q Queries) Tables() []report.Table {
	where := "one filter in cache"
	if q.ColdBytes > 0 {
		where = report.Size(q.ColdBytes).Human() + " of filters at random"
	}
	caption := fmt.Sprintf("%s of %d bytes: MayContain, %s, ", report.Plural(q.Keys, "key"), q.KeySize, where)
	header := []string{"policy", "absent\nns", "±\n%", "ratio", "present\nns", "±\n%", "ratio"}
	one, all := report.NewTable(caption+"one core", 1, header...), report.NewTable(caption+"all cores", 1, header...)
	for _, r := range q.Rows {
		one.Add(append([]string{r.Policy}, r.OneCore.cells()...)...)
		if r.AllCores != nil {
			all.Add(append([]string{r.Policy}, r.AllCores.cells()...)...)
		}
	}
	return []report.Table{one, all}
}

func (a Answers) cells() []string { return slices.Concat(a.Absent.cells(), a.Present.cells()) }

func (t Time) cells() []string { return []string{digits(t.NS), t.spread(), t.ratio()} }

func (t Time) ratio() string { return fmt.Sprintf("%.2f", t.Ratio) }

func (t Time) spread() string { return report.SpreadText(t.Spread) }

// Legend explains the tables.
var Legend = report.Facts("",
	[2]any{"ratio", "to " + BaselineText + ", median of the rounds; below 1 is faster"},
	[2]any{"±", "95 % confidence interval: of the rate, of the median time in % of it"},
	[2]any{"bound", "2^-(bits/key): no filter of this size can have a lower rate"},
	[2]any{"peak", "what one build allocates, its block included"},
	[2]any{"none", "what the measuring itself takes"})

// digits writes nanoseconds with three digits or more.
func digits(ns float64) string {
	if ns >= 100 {
		return fmt.Sprintf("%.0f", ns)
	}
	return fmt.Sprintf("%.1f", ns)
}
