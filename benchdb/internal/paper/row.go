package paper

import "math"

// Row is one value of a paper: published, predicted and measured, as far as
// there is each.
type Row struct {
	Case      string     `json:"case"`
	Point     string     `json:"point"`
	Published *Reference `json:"published"`
	Predicted *Reference `json:"predicted"`
	// Measured is nil where no filter can be built or asked often enough, as for
	// a rate of 1e-43. The prediction is then held to the published value.
	Measured *float64 `json:"measured"`
	Trials   int      `json:"trials,omitempty"`
	// OK tells that all references with a tolerance hold.
	OK bool `json:"within_tolerance"`
}

// Reference is what a value is held to.
type Reference struct {
	Value float64 `json:"value"`
	// Tolerance is nil if the value stands beside the measured one only for
	// comparison.
	Tolerance *float64 `json:"tolerance"`
	// AtMost marks an upper bound; other references hold in both directions.
	AtMost bool `json:"at_most,omitempty"`
}

func within(value, tolerance float64) *Reference {
	return &Reference{Value: value, Tolerance: &tolerance}
}

func atMost(bound, tolerance float64) *Reference {
	return &Reference{Value: bound, Tolerance: &tolerance, AtMost: true}
}

func shown(value float64) *Reference { return &Reference{Value: value} }

// formula is a row without an experiment.
func formula(name, point string, published Printed, predicted float64) Row {
	return Row{
		Case: name, Point: point,
		Published: within(published.Value, published.HalfUnit), Predicted: shown(predicted),
	}
}

// of returns r with what was measured of a sample.
func (r Row) of(s sample, value float64) Row {
	r.Trials, r.Measured = len(s), &value
	return r
}

// holds tells that all references with a tolerance hold. Without a measurement
// the prediction is the value that is held to the published one.
func (r Row) holds() bool {
	if r.Measured == nil {
		return r.Published.holds(r.Predicted.Value)
	}
	return r.Published.holds(*r.Measured) && r.Predicted.holds(*r.Measured)
}

func (f *Reference) holds(value float64) bool {
	if f == nil || f.Tolerance == nil {
		return true
	}
	difference := value - f.Value
	if !f.AtMost {
		difference = math.Abs(difference)
	}
	return difference <= *f.Tolerance // false for NaN
}

// tolerance is the smallest tolerance of the row, 0 if there is none.
func (r Row) tolerance() float64 {
	least := math.Inf(1)
	for _, f := range []*Reference{r.Published, r.Predicted} {
		if f != nil && f.Tolerance != nil {
			least = min(least, *f.Tolerance)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}
