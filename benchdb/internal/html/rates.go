package html

import (
	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/rates"
	"github.com/gravelkv/gravel/benchdb/internal/results"
)

// curveShades are the shades of curves by name; the lower bound has that of
// text.
var curveShades = map[string]chart.Shade{
	"bloom": 1, rates.PebbleBloom: pebbleShade, "twochoice": 3, "ribbon": 4, "compressed": 5, "binaryfuse": 6,
}

// curveSeries draws a family's rates in percent.
func curveSeries(c results.Curve) chart.Series {
	s := chart.Series{Name: c.Name, Shade: curveShades[c.Name], Line: true, Dashed: c.Name == rates.LowerBound}
	if c.Name == rates.PebbleBloom {
		s.Name = "Pebble's own (pebble-bloom)"
	}
	if len(c.Points) < 3 { // sizes of their own, with nothing between
		s.Line, s.Marks = false, true
	}
	for _, p := range c.Points {
		s.Points = append(s.Points, chart.Point{X: p.BitsPerKey, Y: 100 * p.FPR})
	}
	return s
}

// rateChart compares families, and further points with them.
func rateChart(curves []results.Curve, points ...chart.Series) []chart.Chart {
	if len(curves)+len(points) == 0 {
		return nil
	}
	figure := chart.XY{
		X: chart.Axis{Label: "bits per key"},
		Y: chart.Axis{Label: "false-positive rate, %", Log: true},
	}
	for _, c := range curves {
		figure.Series = append(figure.Series, curveSeries(c))
	}
	figure.Series = append(figure.Series, points...)
	return []chart.Chart{{
		Title: "False-positive rate against bits per key", Figure: figure,
		Text: "The share of absent keys that a filter lets through. No filter can be below the lower bound, 2 to the power of minus its bits per key. Curves of Gravel's families are those they are sized by; those of Pebble's own and of binary fuse filters are measured on 100,000 keys.",
	}}
}
