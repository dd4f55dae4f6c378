package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks are the glyphs of the shades. All are filled: thin outlines are lost on
// a telephone.
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
