package chart

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// XY draws curves and points.
type XY struct {
	X, Y   Axis
	Series []Series
}

// Series is points of one name.
type Series struct {
	Name   string
	Points []Point
	Shade  Shade
	// Line joins the points, in their order; Marks shows each of them.
	Line, Marks bool
	// Dashed is a line for comparison.
	Dashed bool
}

// Of returns the series of a name, which it adds if there is none.
func (f *XY) Of(name string) *Series {
	i := slices.IndexFunc(f.Series, func(s Series) bool { return s.Name == name })
	if i < 0 {
		i = len(f.Series)
		f.Series = append(f.Series, Series{Name: name})
	}
	return &f.Series[i]
}

// Point is a point of a series.
type Point struct{ X, Y float64 }

// Grid implements Figure: a row for each X.
func (f XY) Grid() Grid {
	g := Grid{Header: []string{f.X.Label}}
	rows := map[float64][]string{}
	for i, s := range f.Series {
		g.Header = append(g.Header, s.Name)
		for _, p := range s.Points {
			if rows[p.X] == nil {
				rows[p.X] = make([]string, 1+len(f.Series))
				rows[p.X][0] = f.X.name(p.X)
			}
			cell := &rows[p.X][1+i]
			if *cell != "" {
				*cell += ", "
			}
			*cell += number(p.Y)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(rows)) {
		g.Rows = append(g.Rows, rows[x])
	}
	return g
}

// name writes a value as its tick does.
func (a Axis) name(v float64) string {
	for _, t := range a.Ticks {
		if t.Value == v {
			return t.Label
		}
	}
	return number(v)
}

func (XY) height() vg.Length { return height }

func (f XY) draw(p *plot.Plot) {
	p.X.Label.Text, p.Y.Label.Text = f.X.Label, f.Y.Label
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = grid.rgb(), grid.rgb()
	p.Add(lines)
	f.Y.zero = f.below()
	for _, s := range f.Series {
		if points := f.visible(s); len(points) > 0 {
			for _, plotter := range s.plotters(points) {
				p.Add(plotter)
			}
		}
	}
	f.X.apply(&p.X)
	f.Y.apply(&p.Y)
}

// below returns where a logarithmic scale of Y shows 0, if any point is there.
func (f XY) below() float64 {
	least, has := math.Inf(1), false
	for _, s := range f.Series {
		for _, p := range s.Points {
			has = has || p.Y == 0
			if p.Y > 0 {
				least = min(least, p.Y)
			}
		}
	}
	if !has || math.IsInf(least, 1) {
		return 0
	}
	return math.Pow(10, math.Floor(math.Log10(least))-1)
}

// visible returns the points that the scales can show.
func (f XY) visible(s Series) plotter.XYs {
	var points plotter.XYs
	for _, p := range s.Points {
		if f.X.shows(p.X) && f.Y.shows(p.Y) {
			points = append(points, plotter.XY{X: f.X.scale(p.X), Y: f.Y.scale(p.Y)})
		}
	}
	return points
}

func (a Axis) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0 || v == 0 && a.zero > 0)
}

// drawing is a part of a chart that its legend shows, too.
type drawing interface {
	plot.Plotter
	plot.Thumbnailer
}

func (s Series) plotters(points plotter.XYs) (all []drawing) {
	line := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: s.Shade.rgb(), Width: 1.8}}
	if s.Dashed {
		line.Dashes = []vg.Length{2, 3}
	}
	if s.Line {
		all = append(all, line)
	}
	if s.Marks {
		all = append(all, &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
			Color: s.Shade.rgb(), Radius: 3.5, Shape: marks[s.Shade],
		}})
	}
	return all
}

func (f XY) entries() (all []entry) {
	for _, s := range f.Series {
		all = append(all, entry{s.Name, s.plotters(nil)})
	}
	return all
}

// scale returns where a value stands. Logarithms are taken here because a
// plot.LogScale leaves room above a chart for its label, at the wrong place.
func (a Axis) scale(v float64) float64 {
	switch {
	case a.Log && v == 0:
		return math.Log10(a.zero)
	case a.Log:
		return math.Log10(v)
	}
	return v
}

// apply sets the scale of an axis whose data are known.
func (a Axis) apply(to *plot.Axis) {
	if to.Min > to.Max { // nothing is shown
		to.Min, to.Max = 0, 1
	}
	if a.Log && len(a.Ticks) == 0 { // whole powers of ten, so that there are labels
		to.Min, to.Max = math.Floor(to.Min), math.Ceil(to.Max)
	}
	if to.Min == to.Max { // one value has no scale
		to.Max = to.Min + 1
	}
	if len(a.Ticks) == 0 && !a.Log { // no point on the frame
		room := (to.Max - to.Min) / 25
		to.Min, to.Max = to.Min-room, to.Max+room
	}
	if a.Zero {
		to.Min = 0
	}
	switch {
	case len(a.Ticks) > 0:
		ticks := make(plot.ConstantTicks, len(a.Ticks))
		for i, t := range a.Ticks {
			ticks[i] = plot.Tick{Value: a.scale(t.Value), Label: t.Label}
		}
		to.Tick.Marker = ticks
	case a.Log:
		to.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
			ticks := decades(low, high)
			if a.zero > 0 {
				ticks[0].Label = "0"
			}
			return ticks
		})
	default:
		to.Tick.Marker = plot.TickerFunc(round)
	}
}

// round marks about five multiples of 1, 2 or 5 times a power of ten.
func round(low, high float64) (ticks []plot.Tick) {
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / 2))))
	for _, times := range []float64{2, 2.5, 2} { // to 2, 5, 10
		if (high-low)/step > 6 {
			step *= times
		}
	}
	for i := math.Ceil(low/step) + 0; i*step <= high; i++ { // + 0, for there is no -0 on a scale
		ticks = append(ticks, plot.Tick{Value: i * step, Label: number(i * step)})
	}
	return ticks
}

// decades marks whole powers of ten, and the numbers between them without a
// label. The bounds are logarithms.
func decades(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(low); e <= high; e++ {
		ticks = append(ticks, plot.Tick{Value: e, Label: number(math.Pow10(int(e)))})
		for i := 2.0; i < 10 && e < high; i++ {
			ticks = append(ticks, plot.Tick{Value: e + math.Log10(i)})
		}
	}
	return ticks
}

// marks are the glyphs of the shades, so that colour is not all that tells series
// apart. All are filled: thin outlines are lost on a telephone.
var marks = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	polygon{{X: 0, Y: 1.3}, {X: 1.3, Y: 0}, {X: 0, Y: -1.3}, {X: -1.3, Y: 0}}, // diamond
	polygon{{X: -1.1, Y: 0.9}, {X: 1.1, Y: 0.9}, {X: 0, Y: -1.1}},             // triangle, point down
	polygon{{X: -1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}},       // hourglass
	polygon{{X: -1, Y: -1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: 1, Y: 1}},       // hourglass on its side
}

// polygon is a filled glyph, in units of its radius.
type polygon []vg.Point

// DrawGlyph implements draw.GlyphDrawer.
func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, p := range g {
		p = at.Add(p.Scale(style.Radius))
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	c.SetColor(style.Color)
	c.Fill(path)
}
