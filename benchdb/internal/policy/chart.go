package policy

import (
	"github.com/gravelkv/gravel/benchdb/internal/chart"
)

// PebbleShade is the shade of Pebble's own filter in all charts.
const PebbleShade chart.Shade = 2

// Shades are the shades of families. The lower bound has that of text.
var Shades = map[string]chart.Shade{
	"bloom": 1, PebbleBloom: PebbleShade, "twochoice": 3, "ribbon": 4, "compressed": 5, "binaryfuse": 6, "dense": 7,
}

// Series draws a family's rates in percent.
func (c Curve) Series() chart.Series {
	s := chart.Series{Name: c.Name, Shade: Shades[c.Name], Line: true, Dashed: c.Name == LowerBound}
	if c.Name == PebbleBloom {
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

// RateChart compares families, and further points with them.
func RateChart(curves []Curve, points ...chart.Series) []chart.Chart {
	if len(curves)+len(points) == 0 {
		return nil
	}
	figure := chart.XY{
		X: chart.Axis{Label: "bits per key"},
		Y: chart.Axis{Label: "false-positive rate, %", Log: true},
	}
	for _, c := range curves {
		figure.Series = append(figure.Series, c.Series())
	}
	figure.Series = append(figure.Series, points...)
	return []chart.Chart{{
		Title: "False-positive rate against bits per key", Figure: figure,
		Text: "The share of absent keys that a filter lets through. No filter can be below the lower bound, 2 to the power of minus its bits per key. Curves of Gravel's families are those they are sized by; those of Pebble's own and of binary fuse filters are measured on 100,000 keys.",
	}}
}
