package planning

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Point is the size of filters, and the reads that a lookup wastes with them: of
// absent and of present keys, in the share that the settings say.
type Point struct {
	Bytes  int64   `json:"bytes"`
	Wasted float64 `json:"wasted"`
}

// curveBits are the budgets of a curve, in bits for each key of the store.
var curveBits = []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20}

// curve returns what the best plans of growing budgets waste, from no filters on,
// up to the budget from which more memory saves nothing.
func curve(shape levelplan.Shape, b levelplan.Budget) ([]Point, error) {
	none, err := shape.Forecast(pebbleext.Uniform(nil), b.Reads)
	if err != nil {
		return nil, err
	}
	points := []Point{{0, none.Mean}}
	for _, bits := range curveBits {
		b.Bytes = bytesOf(bits, shape)
		plan, err := shape.Plan(b)
		if err != nil {
			continue // too small for any filter
		}
		f, err := shape.Forecast(plan, b.Reads)
		if err != nil {
			return nil, err
		}
		if f.Bytes > points[len(points)-1].Bytes {
			points = append(points, Point{f.Bytes, f.Mean})
		}
	}
	return points, nil
}

// bytesOf is the size of so many bits for each key.
func bytesOf(bits float64, shape levelplan.Shape) int64 {
	return int64(bits * float64(keys(shape)) / 8)
}

// noKnee is the error of a store whose curve has no filters.
func noKnee(shape levelplan.Shape, b levelplan.Budget) error {
	most := curveBits[len(curveBits)-1]
	b.Bytes = bytesOf(most, shape)
	_, err := shape.Plan(b)
	return fmt.Errorf("without --budget filters take at most %v bits for each key: %w", most, err)
}

// knee is the point of a curve that lies furthest below the line between its
// ends: before it memory saves more than on average, after it less (Satopaa et
// al., "Finding a Kneedle in a Haystack", ICDCSW 2011).
func knee(curve []Point) Point {
	first, last := curve[0], curve[len(curve)-1]
	below := func(p Point) float64 {
		x := float64(p.Bytes) / max(float64(last.Bytes), 1)
		return first.Wasted + x*(last.Wasted-first.Wasted) - p.Wasted
	}
	return slices.MaxFunc(curve, func(a, b Point) int { return cmp.Compare(below(a), below(b)) })
}

// point is where a plan lies.
func (r *Result) point(p Plan) Point {
	present := r.Settings.Present
	return Point{p.Bytes, (1-present)*p.WastedAbsent + present*p.WastedPresent}
}

func (r *Result) bitsPerKey(bytes int64) float64 {
	return 8 * float64(bytes) / max(float64(keys(r.Shape)), 1)
}

// curveChart draws the curve with its knee and all plans.
func (r *Result) curveChart() chart.Chart {
	plot := chart.XY{
		X: chart.Axis{Label: "size of filters, bits for each key of the store"},
		Y: chart.Axis{Label: "wasted reads per lookup", Log: true},
	}
	at := func(p Point) chart.Point { return chart.Point{X: r.bitsPerKey(p.Bytes), Y: p.Wasted} }
	best := plot.Of("best plan of a budget")
	best.Shade, best.Line = 1, true
	for _, p := range r.Curve {
		best.Points = append(best.Points, at(p))
	}
	plot.Series = append(plot.Series, chart.Series{Name: "knee", Shade: chart.Shades, Marks: true, Points: []chart.Point{at(r.Knee)}})
	for i, p := range r.Plans {
		plot.Series = append(plot.Series, chart.Series{
			Name: p.Name, Shade: chart.Shade(2 + i%(chart.Shades-2)), Marks: true, Points: []chart.Point{at(r.point(p))},
		})
	}
	return chart.Chart{
		Title: "Wasted reads against memory for filters", Figure: plot,
		Text: "Data blocks that a lookup is expected to read in vain, with the best plan of each budget. At the knee, more memory begins to save less than on average. The nearer to the lower left, the better.",
	}
}
