package chart

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a chart in units of its SVG, which a page scales. Text is to be
// legible where the page is as narrow as a telephone.
const (
	width  vg.Length = 420
	height vg.Length = 270
)

var textFont = font.Font{Typeface: "Liberation", Variant: "Sans", Size: 12}

// Shade is a colour of the page. The zero value is that of text.
type Shade int

// Shades is the number of shades for series, from 1.
const Shades = 7

// The shades of lines behind the figure, and of the page.
const (
	grid       Shade = -1
	background Shade = -2
)

// rgb returns a colour that stands for the shade until the SVG is written.
func (s Shade) rgb() color.Color { return color.NRGBA{R: 1, G: 2, B: uint8(s + 2), A: 255} }

// css are the shades' names, as rgb is written, and what the page calls them.
var css = func() *strings.Replacer {
	names := []string{placeholder(background), "var(--page)", placeholder(grid), "var(--grid)", placeholder(0), "var(--ink)"}
	for s := range Shade(Shades) {
		names = append(names, placeholder(s+1), fmt.Sprintf("var(--shade-%d)", s+1))
	}
	return strings.NewReplacer(names...)
}()

func placeholder(s Shade) string { return fmt.Sprintf("#%02X%02X%02X", 1, 2, int(s)+2) }

// svgText matches a text of vgsvg, to take out its font: the page has its own.
var svgText = regexp.MustCompile(`<text ([^>]*)font-family:[^;]*;font-variant:[^;]*;font-weight:[^;]*;font-style:[^;]*;([^>]*)>([^<]*)</text>`)

// fitText gives every text the length that it was laid out with, whatever font
// the page has.
func fitText(drawing string) string {
	face := font.DefaultCache.Lookup(textFont, textFont.Size)
	return svgText.ReplaceAllStringFunc(drawing, func(element string) string {
		part := svgText.FindStringSubmatch(element)
		length := face.Width(html.UnescapeString(part[3])).Points()
		return fmt.Sprintf(`<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" %s%s>%s</text>`, length, part[1], part[2], part[3])
	})
}

// SVG draws the chart.
func (c Chart) SVG() (template.HTML, error) {
	p := newPlot()
	c.draw(p)
	return svg(width, c.height(), c.Title+". "+c.Text, func(dc draw.Canvas) {
		const edge = 4 // for letters of fonts that are taller than those they were laid out with
		p.Draw(draw.Crop(dc, edge, -edge, edge, -edge))
	})
}

// Entry is a line of a legend.
type Entry struct {
	Name   string
	Sample template.HTML
}

// Legend explains the series.
func (c Chart) Legend() ([]Entry, error) {
	var legend []Entry
	for _, e := range c.entries() {
		sample, err := svg(28, 12, "", func(dc draw.Canvas) {
			for _, d := range e.drawings {
				d.Thumbnail(&dc)
			}
		})
		if err != nil {
			return nil, err
		}
		legend = append(legend, Entry{e.name, sample})
	}
	return legend, nil
}

// entry is a line of a legend, to be drawn.
type entry struct {
	name     string
	drawings []drawing
}

func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = textFont, textFont
		a.Label.TextStyle.Color, a.Tick.Label.Color = Shade(0).rgb(), Shade(0).rgb()
		a.LineStyle.Color, a.Tick.LineStyle.Color = Shade(0).rgb(), Shade(0).rgb()
		a.Label.Padding = 4
		a.Padding = 0
	}
	return p
}

// svg returns a drawing with its text alternative, without one if it only
// decorates.
func svg(width, height vg.Length, alternative string, draws func(draw.Canvas)) (template.HTML, error) {
	canvas := vgsvg.New(width, height)
	draws(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", err
	}
	_, drawing, ok := strings.Cut(out.String(), "viewBox=")
	if !ok {
		return "", fmt.Errorf("the SVG has no viewBox")
	}
	attributes := `aria-hidden="true"`
	if alternative != "" {
		attributes = `role="img" aria-label="` + html.EscapeString(alternative) + `"`
	}
	drawing = fitText(css.Replace(drawing))
	return template.HTML("<svg " + attributes + " viewBox=" + drawing), nil
}
