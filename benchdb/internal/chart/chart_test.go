package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func examples() map[string]Chart {
	return map[string]Chart{
		"curve": {Title: "Curve", Text: "Falls.", Figure: XY{
			X: Axis{Label: "bits"}, Y: Axis{Label: "rate, %", Log: true},
			Series: []Series{
				{Name: "a & b", Shade: 1, Line: true, Points: []Point{{1, 10}, {2, 0.1}, {3, 0}}},
				{Name: "bound", Dashed: true, Line: true, Points: []Point{{1, 5}, {2.5, math.NaN()}}},
			},
		}},
		"ticks": {Title: "Ticks", Text: "Sizes.", Figure: XY{
			X:      Axis{Label: "size", Log: true, Ticks: []Tick{{1024, "1KiB"}, {2048, "2KiB"}}},
			Series: []Series{{Name: "points", Shade: Shades, Marks: true, Points: []Point{{1024, 1}, {2048, 1}}}},
		}},
		"nothing visible": {Title: "Zero", Text: "Nothing.", Figure: XY{
			Y:      Axis{Log: true},
			Series: []Series{{Name: "zero", Shade: 2, Marks: true, Line: true, Points: []Point{{1, 0}}}},
		}},
		"groups": {Title: "Groups", Text: "Bars.", Figure: Bars{
			Categories: "workload", Names: []string{"A", "B"}, Values: "reads",
			Series: []BarSeries{{"none", 6, []float64{3, 2}}, {"bloom", 1, []float64{1, 0}}},
		}},
		"long names": {Title: "Names", Text: "Bars.", Figure: Bars{
			Names: []string{"a policy, with=many;options and=a;long=name"}, Values: "ns", Horizontal: true,
			Series: []BarSeries{{"data", 1, []float64{0}}, {"index", 2, []float64{0}}},
		}},
	}
}

// SVGs are well-formed, take all colours and fonts from the page, and repeat
// byte for byte.
func TestSVG(t *testing.T) {
	for name, c := range examples() {
		t.Run(name, func(t *testing.T) {
			svg, err := c.SVG()
			require.NoError(t, err)
			requireXML(t, string(svg))
			require.Contains(t, svg, `role="img" aria-label="`+c.Title+". "+c.Text+`"`)
			require.Contains(t, svg, "var(--ink)")
			require.NotContains(t, svg, "#")
			require.NotContains(t, svg, "font-family")
			require.NotContains(t, svg, "NaN")
			again, err := c.SVG()
			require.NoError(t, err)
			require.Equal(t, svg, again)

			legend, err := c.Legend()
			require.NoError(t, err)
			for _, entry := range legend {
				requireXML(t, string(entry.Sample))
				require.Contains(t, entry.Sample, "var(--")
			}
		})
	}
}

func requireXML(t *testing.T, text string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestGrid(t *testing.T) {
	g := examples()["curve"].Grid()
	require.Equal(t, []string{"bits", "a & b", "bound"}, g.Header)
	require.Equal(t, [][]string{{"1", "10", "5"}, {"2", "0.1", ""}, {"2.5", "", "NaN"}, {"3", "0", ""}}, g.Rows)
	g = examples()["ticks"].Grid()
	require.Equal(t, [][]string{{"1KiB", "1"}, {"2KiB", "1"}}, g.Rows)
	g = examples()["groups"].Grid()
	require.Equal(t, Grid{[]string{"workload", "none", "bloom"}, [][]string{{"A", "3", "1"}, {"B", "2", "0"}}}, g)
}

func TestDecades(t *testing.T) {
	labels := map[float64]string{}
	for _, tick := range decades(-5, 1) {
		if tick.Label != "" {
			labels[tick.Value] = tick.Label
		}
		require.LessOrEqual(t, tick.Value, 1.0)
	}
	require.Equal(t, map[float64]string{-5: "1e-05", -4: "0.0001", -3: "0.001", -2: "0.01", -1: "0.1", 0: "1", 1: "10"}, labels)
}

func TestWrap(t *testing.T) {
	require.Equal(t, "bloom:10", wrap("bloom:10", 10))
	require.Equal(t, "a=1,\nb=2;\nc=3", wrap("a=1,b=2;c=3", 6))
	require.Equal(t, "abcdef\ngh", wrap("abcdefgh", 6))
}

// A zero stands below all else on a logarithmic scale, whose lowest tick says so.
func TestZeroOnALogarithmicScale(t *testing.T) {
	draw := func(zero float64) string {
		drawing, err := Chart{Title: "t", Text: "t", Figure: XY{
			Y:      Axis{Log: true},
			Series: []Series{{Name: "s", Shade: 1, Marks: true, Points: []Point{{1, 10}, {2, 0.5}, {3, zero}}}},
		}}.SVG()
		require.NoError(t, err)
		return string(drawing)
	}
	require.Contains(t, draw(0), ">0</text>")
	require.NotContains(t, draw(1), ">0</text>")
	require.Greater(t, strings.Count(draw(0), "<path"), strings.Count(draw(-1), "<path"), "the point is drawn")
}
