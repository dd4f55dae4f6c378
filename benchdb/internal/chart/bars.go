package chart

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars draws a group of bars for each name. The scale starts at zero,
// or is logarithmic where the longest bar would hide the shortest.
type Bars struct {
	// Categories is what the names are.
	Categories string
	Names      []string
	// Values is the label of the scale, with the unit.
	Values string
	Series []BarSeries
	// Horizontal lays bars down, which leaves room for longer names.
	Horizontal bool
}

// BarSeries is the bars of one colour, a value for each name.
type BarSeries struct {
	Name   string
	Shade  Shade
	Values []float64
}

// Add adds a name, with a value for each series.
func (f *Bars) Add(name string, values ...float64) {
	f.Names = append(f.Names, name)
	for i, v := range values {
		f.Series[i].Values = append(f.Series[i].Values, v)
	}
}

// Grid implements Figure: a row for each name.
func (f Bars) Grid() Grid {
	g := Grid{Header: []string{f.Categories}}
	for _, s := range f.Series {
		g.Header = append(g.Header, s.Name)
	}
	for i, name := range f.Names {
		row := []string{name}
		for _, s := range f.Series {
			row = append(row, number(s.Values[i]))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// margin is the room for an axis, about.
const margin vg.Length = 60

// height is that of all charts, or room for the names that stand below each
// other.
func (f Bars) height() vg.Length {
	if !f.Horizontal {
		return height
	}
	lines := 0
	for _, name := range f.Names {
		lines += max(1+strings.Count(wrap(name, f.nameWidth()), "\n"), len(f.Series))
	}
	return margin + 18*vg.Length(lines)
}

func (f Bars) draw(p *plot.Plot) {
	names, values := &p.X, &p.Y
	length := width - margin
	if f.Horizontal {
		names, values = values, names
		length = f.height() - margin
	}
	names.Label.Text, values.Label.Text = f.Categories, f.Values
	base := f.base()
	if base > 0 {
		values.Label.Text += ", logarithmic scale"
	}
	f.grid(p)
	each := min(0.8*length/vg.Length(len(f.Names)*len(f.Series)), 60)
	for i, s := range f.Series {
		bars := s.above(base).bars(each)
		bars.Horizontal = f.Horizontal
		bars.Offset = each * (vg.Length(i) - vg.Length(len(f.Series)-1)/2)
		if f.Horizontal { // the first on top
			bars.Offset = -bars.Offset
		}
		p.Add(bars)
	}
	f.label(names)
	values.Min, values.Max = 0, 1.05*values.Max
	if values.Max <= 0 {
		values.Max = 1
	}
	values.Tick.Marker = plot.TickerFunc(round)
	if base > 0 {
		values.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
			ticks := decades(low+math.Log10(base), high+math.Log10(base))
			for i := range ticks {
				ticks[i].Value -= math.Log10(base)
			}
			return ticks
		})
	}
}

// hidden is how many times as long as a bar another is that hides it.
const hidden = 100

// base is where a logarithmic scale starts, a power of ten below all bars, or 0 for
// a scale that starts at zero.
func (f Bars) base() float64 {
	least, most := math.Inf(1), 0.0
	for _, s := range f.Series {
		for _, v := range s.Values {
			if v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if most < hidden*least {
		return 0
	}
	return math.Pow(10, math.Ceil(math.Log10(least))-1)
}

// above returns the bars as long as the logarithms of their values over a base, or
// as they are if it is 0.
func (s BarSeries) above(base float64) BarSeries {
	if base == 0 {
		return s
	}
	logs := make([]float64, len(s.Values))
	for i, v := range s.Values {
		logs[i] = math.Log10(max(v/base, 1))
	}
	s.Values = logs
	return s
}

func (f Bars) grid(p *plot.Plot) {
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = nil, grid.rgb()
	if f.Horizontal {
		lines.Vertical.Color, lines.Horizontal.Color = grid.rgb(), nil
	}
	p.Add(lines)
}

func (s BarSeries) bars(width vg.Length) *plotter.BarChart {
	return &plotter.BarChart{
		Values: s.Values, Width: width, Color: s.Shade.rgb(),
		// Neighbours stay apart where colours look alike.
		LineStyle: draw.LineStyle{Color: background.rgb(), Width: 0.5},
	}
}

// nameWidth is the number of letters of a name in a line: beside bars, or below
// them, where all names share the width of the chart.
func (f Bars) nameWidth() int {
	if f.Horizontal {
		return 20
	}
	return max(56/len(f.Names), 7)
}

// label writes the names along an axis.
func (f Bars) label(names *plot.Axis) {
	ticks := make(plot.ConstantTicks, len(f.Names))
	for i, name := range f.Names {
		ticks[i] = plot.Tick{Value: float64(i), Label: wrap(name, f.nameWidth())}
	}
	names.Tick.Marker = ticks
	names.Tick.Length = 4
	names.Min, names.Max = -0.5, float64(len(f.Names))-0.5
}

// wrap breaks a text after commas, semicolons and spaces, or where it must.
func wrap(text string, width int) string {
	var lines []string
	for len(text) > width {
		end := 1 + strings.LastIndexAny(text[:width], ",; ")
		if end == 0 {
			end = width
		}
		lines = append(lines, strings.TrimSpace(text[:end]))
		text = text[end:]
	}
	return strings.Join(append(lines, text), "\n")
}

func (f Bars) entries() (all []entry) {
	if len(f.Series) == 1 {
		return nil
	}
	for _, s := range f.Series {
		all = append(all, entry{s.Name, []drawing{s.bars(1)}})
	}
	return all
}
