package micro

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Page is the report of benchdb micro.
func (r *Result) Page() report.Page {
	s := r.Settings
	p := report.Page{
		Title: "Filters alone", Summary: r.summary(),
		Details: []report.Table{r.Table(
			[2]any{"policies", strings.Join(s.Policies, " ")}, [2]any{"keys", s.Keys.String()},
			[2]any{"key-size", s.KeySize},
			[2]any{"cold", s.ColdBytes}, [2]any{"rounds", s.Rounds},
			[2]any{"absent-keys", s.AbsentKeys}, [2]any{"seed", s.Seed})},
	}
	largest := r.largest()
	p.Tables = []report.Table{largest.Table(), r.queries(largest.Keys).Tables()[0], Legend}
	for _, b := range r.Builds {
		if b.Keys != largest.Keys {
			p.Details = append(p.Details, b.Table())
		}
	}
	for _, q := range r.Queries {
		p.Details = append(p.Details, q.Tables()...)
	}
	p.Draw(r.rates())
	p.Draw(r.timeAgainstRate()...)
	return p
}

// shades are those of families.
var shades = map[string]chart.Shade{
	"bloom": 1, policy.PebbleBloom: policy.PebbleShade, "twochoice": 3, "ribbon": 4, "compressed": 5, "binaryfuse": 6, "dense": 7,
}

// mark adds a point of a policy's filter to those of its family and options of all
// sizes.
func mark(plot *chart.XY, text string, p chart.Point) {
	name := policy.Family(text)
	if _, options, ok := strings.Cut(text, ","); ok {
		name += "," + options
	}
	s := plot.Of(name)
	s.Shade, s.Marks = shades[policy.Family(text)], true
	s.Points = append(s.Points, p)
}

// largest is the builds of the most keys, empty if there are none.
func (r *Result) largest() Builds {
	var most Builds
	for _, b := range r.Builds {
		if b.Keys > most.Keys && len(b.Rows) > 0 {
			most = b
		}
	}
	return most
}

// queries are those that were asked of filters of a number of keys that stay
// in the cache.
func (r *Result) queries(keys int) Queries {
	for _, q := range r.Queries {
		if q.Keys == keys && q.ColdBytes == 0 {
			return q
		}
	}
	return Queries{}
}

func (r *Result) summary() string {
	b := r.largest()
	var base, least BuildRow
	for _, row := range b.Rows {
		if row.Policy == r.Settings.Baseline {
			base = row
		}
	}
	for _, row := range b.Rows { // the best of a size like the baseline's
		if row.Bytes > 0 && row.BitsPerKey < 1.02*base.BitsPerKey && (least.Bytes == 0 || row.FPR.Rate < least.FPR.Rate) {
			least = row
		}
	}
	if base.Bytes == 0 || least.Bytes == 0 {
		return "Nothing was measured to the end."
	}
	text := fmt.Sprintf("In filters of %s keys, %s lets %s %% of absent keys through with %.1f bits per key, where %s lets %s %% through with %.1f",
		humanize.Comma(int64(b.Keys)), least.Policy, report.Figure(100*least.FPR.Rate), least.BitsPerKey,
		base.Policy, report.Figure(100*base.FPR.Rate), base.BitsPerKey)
	if r.Interrupted {
		text += "; the run was interrupted"
	}
	return text + "."
}

// rates compares what filters of a size let pass with the least that any can.
func (r *Result) rates() chart.Chart {
	plot := chart.XY{X: chart.Axis{Label: "bits per key"}, Y: chart.Axis{Label: "false-positive rate, %", Log: true}}
	bound := plot.Of("lower bound")
	bound.Line, bound.Dashed = true, true
	for bits := 4.0; bits <= 20; bits++ {
		bound.Points = append(bound.Points, chart.Point{X: bits, Y: 100 * math.Exp2(-bits)})
	}
	for _, row := range r.largest().Rows {
		if row.Bytes > 0 {
			mark(&plot, row.Policy, chart.Point{X: row.BitsPerKey, Y: 100 * row.FPR.Rate})
		}
	}
	if len(plot.Series) == 1 {
		return chart.Chart{}
	}
	return chart.Chart{
		Title: "False-positive rate against bits per key", Figure: plot,
		Text: "The share of absent keys that a filter lets through. No filter can be below the lower bound, 2 to the power of minus its bits per key.",
	}
}

// timeAgainstRate compares what a query costs with what it saves, for
// filters in the cache and for those that were asked at random.
func (r *Result) timeAgainstRate() []chart.Chart {
	var charts []chart.Chart
	for _, q := range r.Queries {
		builds := r.of(q.Keys)
		if len(builds.Rows) == 0 {
			continue
		}
		where := "one filter in the cache"
		if q.ColdBytes > 0 {
			where = report.Size(q.ColdBytes).Human() + " of filters at random"
		}
		plot := chart.XY{
			X: chart.Axis{Label: "false-positive rate, %", Log: true},
			Y: chart.Axis{Label: "MayContain of an absent key, ns", Zero: true},
		}
		for _, row := range q.Rows {
			for _, b := range builds.Rows {
				if b.Policy == row.Policy && b.Bytes > 0 {
					mark(&plot, row.Policy, chart.Point{X: 100 * b.FPR.Rate, Y: row.OneCore.Absent.NS})
				}
			}
		}
		charts = append(charts, chart.Chart{
			Title: fmt.Sprintf("Time against rate, %s keys, %s", humanize.Comma(int64(q.Keys)), where), Figure: plot,
			Text: fmt.Sprintf("Median time of MayContain for absent keys of %d bytes on one core, %s. The nearer to the lower left, the better.", q.KeySize, where),
		})
	}
	return charts
}

// of returns the builds that tell the rates of filters of a number of keys.
func (r *Result) of(keys int) Builds {
	for _, b := range r.Builds {
		if b.Keys == keys {
			return b
		}
	}
	return r.largest()
}
