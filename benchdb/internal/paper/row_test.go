package paper

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		row  Row
		ok   bool
	}{
		{"within both", Row{Published: within(1, 0.2), Predicted: within(1.1, 0.1)}.of(nil, 1.05), true},
		{"off the published", Row{Published: within(1, 0.01), Predicted: within(1.1, 0.1)}.of(nil, 1.05), false},
		{"off the predicted", Row{Published: within(1, 0.2), Predicted: within(1.1, 0.01)}.of(nil, 1.05), false},
		{"published for comparison", Row{Published: shown(7), Predicted: within(1, 0.1)}.of(nil, 1.05), true},
		{"formula", Row{Published: within(1, 0.1), Predicted: shown(1.05)}, true},
		{"wrong formula", Row{Published: within(1, 0.1), Predicted: shown(1.2)}, false},
		{"below a bound", Row{Predicted: atMost(1, 0)}.of(nil, -5.0), true},
		{"above a bound", Row{Predicted: atMost(1, 0.1)}.of(nil, 1.2), false},
		{"no number", Row{Predicted: within(1, 1)}.of(nil, math.NaN()), false},
		{"exact", Row{Published: within(0, 0), Predicted: shown(0)}, true},
		{"not exact", Row{Published: within(0, 0), Predicted: shown(1)}, false},
	} {
		require.Equal(t, c.ok, c.row.holds(), c.name)
	}
}

func TestPrintedDigits(t *testing.T) {
	for text, half := range map[string]float64{
		"2.159e-2": 0.5e-5, "0.5020": 0.5e-4, "142": 0.5, "9.980e-8": 0.5e-11, "12.6": 0.05,
	} {
		var p Printed
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		require.InEpsilon(t, half, p.HalfUnit, 1e-8, text)
	}
	require.Error(t, json.Unmarshal([]byte(`"x"`), new(Printed)))
}

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		value, tolerance float64
		want             string
	}{
		{0.0215771, 0.0014, "0.0216"}, {0.5296, 7.9e-4, "0.52960"}, {4.588e-4, 6e-6, "4.588e-04"},
		{42211, 17, "42211"}, {34, 10, "34"}, {0, 0.1, "0"}, {8, 0, "8"}, {6.154093287e-4, 1e-12, "6.154093287e-04"},
	} {
		require.Equal(t, c.want, digits(c.value, c.tolerance))
	}
}
