package chart

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/font"
)

// Picture draws the chart, with its legend above it, as an SVG that stands alone:
// style gives the colours their values.
func (c Chart) Picture(style string) (string, error) {
	drawing, err := c.SVG()
	if err != nil {
		return "", err
	}
	legend, err := c.Legend()
	if err != nil {
		return "", err
	}
	const line = 20
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif">`+
		"<style>%s</style>\n"+`<rect width="100%%" height="100%%" fill="var(--page)"/>`, width, c.height()+line, style)
	face := font.DefaultCache.Lookup(textFont, textFont.Size)
	for x, i := 8.0, 0; i < len(legend); i++ {
		name := legend[i].Name
		fmt.Fprintf(&out, `<svg x="%.1f" y="4" width="28" height="12">%s</svg>`, x, legend[i].Sample)
		fmt.Fprintf(&out, `<text x="%.1f" y="14" font-size="12" fill="var(--ink)">%s</text>`, x+34, html.EscapeString(name))
		x += 34 + face.Width(name).Points() + 20
	}
	fmt.Fprintf(&out, `<svg y="%d" width="%g" height="%g">%s</svg></svg>`+"\n", line, width, c.height(), drawing)
	return out.String(), nil
}
