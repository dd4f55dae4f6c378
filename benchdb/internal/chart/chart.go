// Package chart draws charts as inline SVG that takes its colours from the page
// around it, so that one drawing serves light and dark pages and print.
//
// It names colours by CSS variables: --page, --ink and --grid, and --shade-1
// to --shade-6 for series.
package chart

import (
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Chart is a drawing and what a reader needs who cannot see it.
type Chart struct {
	Title string
	// Text says what is drawn, and how to read it.
	Text string
	Figure
}

// Figure is what a chart draws.
type Figure interface {
	// Grid returns the figures that are drawn.
	Grid() Grid

	height() vg.Length
	draw(p *plot.Plot)
	entries() []entry
}

// Empty reports whether the chart has nothing to show.
func (c Chart) Empty() bool {
	if c.Figure == nil {
		return true
	}
	g := c.Grid()
	return len(g.Rows) == 0 || len(g.Header) < 2
}

// Grid is a table of text.
type Grid struct {
	Header []string
	Rows   [][]string
}

// Axis is a scale.
type Axis struct {
	// Label has the unit.
	Label string
	// Zero starts the scale at zero.
	Zero bool
	// Log is for a scale that shows positive values only.
	Log bool
	// Ticks are the marked values; none leaves the choice to the scale.
	Ticks []Tick

	// zero is where a logarithmic scale shows 0, a power of ten below all else; 0
	// if nothing is.
	zero float64
}

// Tick is a marked value of an axis.
type Tick struct {
	Value float64
	Label string
}

// number writes a figure in four digits: 20k for 20,000.
func number(v float64) string {
	if math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		v, unit := humanize.ComputeSI(v)
		return strconv.FormatFloat(v, 'g', 4, 64) + unit
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
